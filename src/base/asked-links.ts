/** Why something is not done yet is told by what it waits for; where it waits for nothing, by its text. */
export const WHY_NOT: RegExp =
  /\bwhy\s+(?:(?:can|is|are|has|have|was|do|does|did)(?:n['’]?t|\s?not|\b[^.?!]{1,60}\bnot\b)|(?:can|is|has)['’]?t)|\bwhy\s+(?:is|are)\b[^.?!]{1,60}\b(?:stuck|held\s+up|waiting|on\s+hold)\b|\bwhat(?:['’]?s|\s+is)?\s+(?:stopping|keeping|in\s+the\s+way)\b/i;

/** What is asked of links, with how those are called that answer it. */
export const ABOUT_LINKS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\bwhat(?:['’]?s| does| do| is) (?!(?:really|still|currently|now|actually) block).+ block(?:s|ing)?\s*\W*$|\bwhat(?:['’]?s| is| does) (?:it|this|that|[A-Z]\w*-\d+) hold(?:ing)? (?:up|back)\b|\bis it blocking\b|\b(?:does|do) (?:it|this|[A-Z]\w*-\d+) block\b|\bblocked by (?:it|[A-Z]\w*-\d)/i,
    /^blocks/i,
  ],
  // "What depends on OPS-4?", and not "what does OPS-4 depend on?"
  [
    /\b(?:what|who|which|anything|anyone|something)\b(?:(?!\b(?:it|this|[A-Z]\w*-\d+)\b).)*\b(?:depend(?:s|ing)?|wait(?:s|ing)?)\s+(?:on|for)\s+\w/i,
    /^(?:blocks|is (?:depended|needed))/i,
  ],
  [
    /\b(?:blocked(?! by (?:it|[A-Z]\w*-\d))|(?:what|which|who|something|anything|anyone)(?:['’]?s| is)?(?: \w+)?(?: is)? (?:block(?:s|ing)|hold(?:s|ing)(?: (?:it|this|that))? (?:up|back)|delay(?:s|ing))|(?:waits?|waiting) (?:for|on)(?! \w)|depends? on(?! \w)|(?:it|[A-Z]\w*-\d+)\b[^?]*\b(?:(?:waits?|waiting) (?:for|on)|depends? on))\b/i,
    /blocked|depends|waits/i,
  ],
  [WHY_NOT, /blocked|depends|waits/i],
  [/\bduplicat/i, /duplicat/i],
  [/\bcaus(?:e|es|ed|ing)\b/i, /caus/i],
  // "Link to DEMO-19?" wants its address.
  [/\b(?:link(?!\s+(?:to|for|of)\s+\w)(?:s|ed)?|relat(?:ed|es|ions?))\b/i, /./u],
];
