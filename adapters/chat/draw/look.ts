/** Something to choose: what is sent, and what a person reads. */
export type Choice = readonly [value: string, label: string];

/** Attributes of an element, such as those that make a control work. */
export type Attributes = Readonly<Record<string, string>>;
