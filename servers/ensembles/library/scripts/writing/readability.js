// Measures how plain a text is: words a sentence, long words, passive voice; parameters: most_words (18).
import { readFileSync } from "node:fs";

const { input_data: input, dependencies = {} } = JSON.parse(readFileSync(0, "utf8"));
const { most_words: most = 18 } = JSON.parse(process.env.AGENT_PARAMETERS || "{}");
const [before] = Object.values(dependencies);
const text = String(before?.response || input).trim();
const sentences = text.split(/(?<=[.!?])\s+/).filter((one) => /\p{L}/u.test(one));
const words = text.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
const perSentence = words.length / Math.max(1, sentences.length);
const tooLong = sentences.filter((one) => (one.match(/[\p{L}\p{N}'’-]+/gu) ?? []).length > most * 1.5);
const data = {
  text,
  readable: perSentence <= most && tooLong.length === 0,
  words_per_sentence: Math.round(perSentence * 10) / 10,
  long_words: [...new Set(words.filter((word) => word.length > 13))].slice(0, 20),
  too_long: tooLong.slice(0, 5),
};
console.log(JSON.stringify({ success: true, data, error: null }));
