/** What the product counts, for operators. */
export interface Metrics {
  /** Of what `read` resolves to. */
  contentType: string;
  /** All of it as text, in the form of OpenMetrics. Never rejects. */
  read(): Promise<string>;
}
