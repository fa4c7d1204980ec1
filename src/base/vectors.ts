/** A vector as a row keeps it: Float32 numbers, base64. */
export function packVector(vector: ArrayLike<number>): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString("base64");
}

export function unpackVector(packed: string): Float32Array {
  // A copy of its own, as the buffer's place in its pool need not be a multiple of four.
  return new Float32Array(Uint8Array.from(Buffer.from(packed, "base64")).buffer);
}

/** The same direction with length 1, so that `dot` of two is their cosine; nothing but zeros stays as it is. */
export function toUnit(vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector);
  const length = Math.sqrt(dot(unit, unit));
  return length === 0 ? unit : unit.map((value) => value / length);
}

/** 0 for vectors of different lengths: they are of different models. */
export function dot(a: Float32Array, b: Float32Array): number {
  return a.length === b.length ? dotAt(a, b, 0) : 0;
}

/**
 * The product of a vector with the one that begins at a place of a longer list. Four sums side by side take
 * half the time of one, as none waits for the one before it.
 */
export function dotAt(a: Float32Array, list: Float32Array, from: number): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let at = 0;
  for (; at + 3 < a.length; at += 4) {
    first += (a[at] as number) * (list[from + at] as number);
    second += (a[at + 1] as number) * (list[from + at + 1] as number);
    third += (a[at + 2] as number) * (list[from + at + 2] as number);
    fourth += (a[at + 3] as number) * (list[from + at + 3] as number);
  }
  for (; at < a.length; at += 1) first += (a[at] as number) * (list[from + at] as number);
  return first + second + third + fourth;
}
