/**
 * What people say of what they want to see, and how tools that show it describe themselves. Rows are of kinds of
 * things, such as files, commits or tickets: which tool is meant is read from its own words, and never from whose it is.
 */
const SAYINGS: readonly (readonly [said: RegExp, told: RegExp])[] = [
  // A working copy
  [
    /\bunstaged\b|\b(?:not|never)(?: yet)?(?: been)? staged\b|n['’]?t(?: yet)?(?: been)? staged?\b|\b(?:not|yet|still) to (?:be )?staged?\b/i,
    /\bunstaged\b|\bnot (?:yet )?staged\b/i,
  ],
  [
    /\buncommitted(?: (?:changes?|work|files?|stuff))?\b|\b(?:not|never)(?: yet)?(?: been)? committed\b|n['’]?t(?: yet)?(?: been)? commit(?:ted)?\b|\b(?:since|after) (?:my|the|our) (?:last|latest) commit\b|\b(?:pending|local|open) changes\b|\b(?:modified|changed|untracked|dirty) files?\b(?! in (?:pr|pull|#))|\b(?:clean|dirty)\b|\bworking (?:copy|tree)\b|\bwhat (?:did|have) (?:i|we) chang(?:e|ed)\b|\bwhat(?:['’]s| has| is)? changed in\b|\banything (?:to|left to) commit\b/i,
    /\bworking tree status\b|\buncommitted\b|\bstatus of (?:the )?(?:repo|working)/i,
  ],
  [
    /\bdiffers?\b|\bdifferences?\b|\bcompare[ds]?\b|\b(?:ahead of|behind)\b(?! schedule)/i,
    /\bdifferences? between (?:branches|commits|two|versions)\b|\bcompare/i,
  ],
  [
    /\b(?:last|latest|recent|newest)\b.{0,20}\bcommits?\b|\bwho (?:has )?committed\b|\bcommits\b.*\b(?:since|from|between|before|after|until|by)\b|\bwhat (?:was|has been|got) (?:committed|merged|done)\b|\bcommit (?:history|messages?)\b|\b(?:git )?history of\b.*\/|\brecent (?:changes|work)\b|\bwhat (?:has |was )?(?:happened|going on|been done)\b/i,
    /\bcommit (?:logs?|history)\b|\blist of commits\b/i,
  ],
  [
    /\b(?:commit|revision)\s+(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b|\bwhat (?:did|does|do|was in|is in)\s+(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b|(?=\b[0-9a-f]*\d)\b[0-9a-f]{7,40}\b.{0,30}\bcommit\b/i,
    /\bcontents of a commit\b|\bshows? (?:a|the) (?:single )?commit\b|\bcommit details\b|\bdetails of a commit\b/i,
  ],
  // Pull requests and code
  [
    /\b(?:checks?|ci|builds?|pipelines?|tests?)\b.*\b(?:green|red|pass\p{L}*|fail\p{L}*|ok|okay|through|running|finished|done)\b|\b(?:green|mergeable|(?:ready|safe|ok|okay) (?:to|for) (?:be )?merged?|can (?:it|this|we|i|that) (?:already )?(?:be )?merged?)\b/iu,
    /\bstatus checks?\b|\bcheck runs?\b|\b(?:build|ci|pipeline) status\b/i,
  ],
  [
    /\bwho (?:has |have |else )*(?:reviewed|approved)\b|\b(?:been|was|is|it) (?:already )?(?:reviewed|approved)\b|\bapprovals?\b|\bwhat did the reviewers?\b/i,
    /\b(?:the|list|all) reviews (?:on|of|for)\b|\breviews? (?:list|state)/i,
  ],
  [
    /\b(?:which|what) (?:files?|code|parts?)\b.*\b(?:chang|touch|modif|edit)\p{L}*|\b(?:touched|changed|modified) files\b.*\b(?:pr|pull|request|#)/iu,
    /\bfiles? (?:that )?(?:were )?changed\b|\bchanged files\b/i,
  ],
  [
    /\bwhere\b.*\b(?:call(?:s|ed|ing)?|us(?:e|es|ed|ing)|defin(?:e|es|ed)|implement(?:s|ed)?|import(?:s|ed)?|referenced|declared)\b/i,
    /\bsearch (?:for |in |through |across )?(?:the )?(?:source )?code\b/i,
  ],
  // Files and folders
  [
    /\b(?:biggest|largest|smallest)\b|\bby (?:file )?size\b|\bsizes\b|\b(?:most|much) (?:disk )?space\b|\bhow (?:big|large) are\b/i,
    /\b(?:including|with) (?:file )?sizes?\b/i,
  ],
  [
    /\bhow (?:big|large|heavy|old)\b(?! are)|\b(?:file )?size of\b|\bwhen\b.*\b(?:chang|modif|edit|touch|writ|creat|updat)\p{L}*|\b(?:since when|last (?:modified|changed|touched|edited|written))\b|\b(?:file )?permissions\b|\bha(?:s|ve) (?:any(?:one|body)|some(?:one|body)) (?:\p{L}+ or )?(?:moved|renamed|changed|touched|edited)\b|\bwho owns\b.*\/|\bdoes\b.*\/.*\bexist\b|\bis there (?:an?|any) file \//iu,
    /\bmetadata (?:about|of|for) (?:a |the )?file\b|\bfile (?:metadata|stats?|status|information)\b/i,
  ],
  [
    /\bhow many (?:files|folders|things)\b.*\/|\b(?:what|which)(?:['’]s| is| are| files(?: are)?| folders(?: are)?| else is)?(?: there)? (?:in|inside|under|within)\b.*\/[\w-]*[\s?!.]*$|\bcontents? of (?:the )?(?:folder|directory|dir)\b|\b(?:the|which|what|list|show|all) (?:files|folders) (?:are )?(?:there )?(?:in|inside|under) (?:the )?(?:\p{L}+ )?\//iu,
    /\blist(?:ing)? (?:of )?(?:all )?(?:the )?(?:files|contents|directory)\b|\bfiles and directories in\b/i,
  ],
  [
    /\bwhere (?:is|are|can i find|do (?:i|we) (?:find|have|keep)) (?:the |my |our |a )?(?:\p{L}+ )?files?\b|\bis there (?:an?|any) file (?!\/)|\bfiles? (?:called|named|ending|that ends?|that match\p{L}*|matching)\b|\bends? (?:with|in) \.?\w+|\bfind (?:me )?(?:the |all |every |any )*(?:[\w.*]+ )?files?\b/iu,
    /\bsearch for files\b|\bfind files\b/i,
  ],
  [
    /\b(?:structure|hierarchy|tree|subfolders|sub-?directories|recursive(?:ly)?)\b|\beverything (?:below|under|beneath)\b/i,
    /\b(?:recursive )?tree view\b|\bdirectory tree\b/i,
  ],
  [
    /\b(?:which|what|where) (?:folders?|directories|paths?|places?)?\s*(?:may|can|are|do) (?:you|we|i)\b.*\b(?:access|allowed|see|read|reach|look|open)\b|\ballowed (?:folders|directories|paths)\b/i,
    /\ballowed (?:to access|directories|paths)\b/i,
  ],
  // Tickets and pages
  [
    /\bwatch(?:es|ing|ers?|ed)?\b|\bwho (?:is |else )?follow(?:s|ing)\b|\bfollowers\b/i,
    /\bwatch(?:ers|ing)\b/i,
  ],
  [
    /\b(?:time|hours?|work|effort)\b.{0,30}\b(?:logged|log|booked|spent|recorded|tracked)\b|\b(?:logged|booked|spent|recorded|tracked)\b.{0,20}\b(?:time|hours?)\b|\bhow many hours\b|\bwork ?logs?\b|\btime ?sheet\b/i,
    /\bwork ?logs?\b/i,
  ],
  [
    /\bhistory\b|\bchange ?log\b|\bwho (?:has |had |last )*(?:changed|moved|assigned|edited|touched|set|renamed|reassigned)\b|\bwhat (?:has |was )?(?:been )?changed\b/i,
    /\bhistory of changes\b|\bchange ?logs?\b|\bedit history\b/i,
  ],
  [
    /\bwhen\b.*\b(?:moved|closed|resolved|started|reopened|transitioned|finished)\b|\bhow long\b.*\b(?:in|open|took|take|wait\p{L}*)\b/iu,
    /\bstatus transition history\b|\bhistory of changes\b/i,
  ],
  [
    /\bwho am i\b|\bas (?:whom|who)\b|\b(?:which|what) (?:user|account|login|person)\b.{0,15}\b(?:am|do) i\b|\b(?:am i|i am|i['’]m) logged\b|\blogged in as\b|\bmy own (?:account|profile)\b/i,
    /\bwho (?:they|i|you) (?:are|am)\b|\bwhoami\b|\bcurrent(?:ly)? (?:logged|authenticated)\b/i,
  ],
  [
    /^(?:(?:still|already|now|also)\s+)*(?:move|set|transition)\b.*\bto\b|\b(?:can|could|may) (?:i|we|it|one|[a-z]\w*-\d+)\b.*\b(?:moved?|go|set|transition\p{L}*)\b.*\bto\b|\b(?:which|what) (?:states?|status(?:es)?|transitions?|steps?)\b.*\b(?:next|possible|available|can|could|may)\b|\bnext (?:possible )?(?:states?|status(?:es)?|transitions?)\b/iu,
    /\b(?:available|possible)\b.{0,20}\btransitions?\b/i,
  ],
  [
    /\bsub-?pages?\b|\bchild(?:ren)?(?: pages?)?\b|\b(?:under|below|beneath) (?:the |this |that )?(?:wiki |confluence )?page\b/i,
    /\bchild pages\b|\bchildren\b/i,
  ],
  [
    /\b(?:issues?|tickets?|what|which)\b.*\blinked (?:to|with)\b|\blinks? (?:of|on)\b/i,
    /\blinked issues\b|\bissue links\b/i,
  ],
  [/\bvot(?:es?|ed|ers)\b/i, /\bvotes?\b|\bvoters\b/i],
  [/\battach(?:ed|ments?)\b/i, /\battachments?\b/i],
  [
    /\b(?:how (?:many|often)|who)\b.*\b(?:views?|viewed|read|visit(?:s|ed)?|looked at)\b|\bview(?:s| count)\b/i,
    /\bview (?:statistics|counts?)\b|\bpage views\b/i,
  ],
  [
    /\bwho (?:may|can|is allowed to|has (?:the right|permission) to) (?:see|read|view|edit|change|open|access)\b|\brestrict(?:ed|ions?)\b/i,
    /\brestrictions?\b/i,
  ],
  [
    /\b(?:pull requests?|prs?|branch(?:es)?|commits?|code)\b.*\b(?:for|of|on|to|behind|linked)\b.*[a-z]\w*-\d+/i,
    /\bdevelopment information\b/i,
  ],
  [
    /\b(?:columns|fields)\b|\b(?:schema|layout) of\b/i,
    /\bschema (?:information )?(?:for|of) (?:a |the )?(?:specific )?table\b/i,
  ],
  // What is asked of the world
  [/\bhow many (?:people|inhabitants|residents)\b.{0,20}\b(?:live|in|has|have)\b/i, /\bpopulation\b/i],
  [
    /\bhow (?:hot|cold|warm|humid|windy) (?:is|was|will|does)\b|\b(?:is it|will it|does it|going to) (?:rain|snow)\p{L}*\b|\bumbrella\b/iu,
    /\bweather\b|\bforecast\b|\btemperature\b/i,
  ],
  [/\bhow far\b/i, /\bdistance\b/i],
  [
    /\bhow long (?:does it take|will it take|is the (?:drive|flight|ride|trip))\b/i,
    /\b(?:travel|driving|flight) (?:time|duration)\b|\broute\b/i,
  ],
  [/\bhow (?:do|would) (?:you|i|we) say\b|\bwhat does .{1,40} mean in\b/i, /\btranslat\p{L}+\b/iu],
  [/\bwho (?:won|wins)\b/i, /\bwinners?\b|\b(?:match|game) (?:results?|scores?)\b/i],
  [/\bhow much (?:is|does|do|are|was)\b.{0,40}\b(?:cost|worth)\b/i, /\bprices?\b|\bcosts?\b|\bvalue of\b/i],
  // What is remembered
  [
    /\b(?:everything|all|whatever|the (?:whole|entire|full))\b.{0,30}\b(?:you(?:['’]ve| have)?(?: got)? (?:know|remember\w*|stored?|saved?|noted?)|(?:is|was) (?:stored|saved|remembered|noted)|memory|graph)\b(?!.*\b(?:about|regarding)\b)/i,
    /\b(?:entire|whole|full)\b.{0,20}\b(?:graph|memory)\b/i,
  ],
  [
    /\b(?:did|have|has) (?:we|you|i|any(?:one|body)|some(?:one|body))\b.{0,30}\b(?:anything|something|everything)\b.*\b(?:about|on|regarding)\b|\b(?:is|was|are|were) (?:stored|saved|noted|known|remembered|recorded)\b.*\b(?:about|on|of|regarding)\b|\b(?:do|did|have|has) (?:we|you|i|anyone)\b.{0,20}\b(?:know|remember|recall|store[d]?|note[d]?|saved?|heard?|got)\b.*\b(?:about|on|of|regarding)\b/i,
    /\bsearch for (?:nodes|entities|memories|notes|facts)\b|\bsearch\b.{0,20}\b(?:memory|knowledge graph)\b/i,
  ],
];

/** What a message says that it wants to see, with its place. */
export interface Saying {
  told: RegExp;
  start: number;
  end: number;
}

/** The sayings in a sentence, without what is quoted or dictated. */
export function sayingsIn(masked: string): Saying[] {
  const found = SAYINGS.flatMap(([said, told]) => {
    const matches = masked.matchAll(new RegExp(said, `g${said.flags}`));
    return [...matches].map(({ 0: all, index }) => ({ told, start: index, end: index + all.length }));
  });
  // "Not yet staged" says more of the changes than that they are local.
  return found.some(({ told }) => told === UNSTAGED) ? found.filter(({ told }) => told === UNSTAGED) : found;
}

const UNSTAGED = SAYINGS[0]?.[1];
