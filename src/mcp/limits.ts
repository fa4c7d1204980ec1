/** The largest result that is passed on, in bytes of JSON. */
export const maxResultBytes: number = 5 * 1024 * 1024;

/** The largest message that is read from a server at all, in bytes; beyond it the connection ends. */
export const maxMessageBytes: number = 16 * 1024 * 1024;

/** Messages of a server, and bytes of them, that are taken at once before others have their turn. */
export const slice: { messages: number; bytes: number } = { messages: 32, bytes: 4 * 1024 };

/** Questions to people and to the model in one call. */
export const mostQuestions = 20;
