// The search of the site. The pages' texts are in search-texts.js, so it works from a disk as well.

const GROUPS = ["", "chapter", "reference", "developers"] // the first is the guide
const PLACES = [/^$/, /^chapters/, /^(api|files)\b/, /^(developers|benchmarks|project)\b/]
const WEIGHTS = [1, 0.5, 0.2, 0.1]
const MOST = 30
const OF_A_PAGE = 3
const BEFORE = 60 // characters of a snippet before the first word that was found
const SNIPPET = 220

// Words that differ in their ending are one: hallucinate, hallucinated, hallucinating.
const stem = (word) =>
  word.length > 4 ? word.replace(/(ing|ed|es|e|s)$/, "").replace(/y$/, "i") : word

// As people type them: beta for β, R+ for R⁺.
const typed = (text) => text.replaceAll("β", "beta").replaceAll("+", "⁺").toLowerCase()

const wordsOf = (text) => typed(text).match(/[\p{L}\p{N}⁺•_]+/gu) ?? []

const stemsOf = (text) => wordsOf(text).map(stem)

// The sections of a page; each documented object, and each word of the glossary, is one of them.
function sectionsOf([page, html]) {
  const found = []
  const named = page.startsWith("glossary") ? "section, dt[id], span[id]" : "section, dt[id]"
  const {body} = new DOMParser().parseFromString(html, "text/html")
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (node.matches(named)) found.push({link: `${page}#${node.id}`, heading: "", text: ""})
    } else if (found.length) {
      const heads = node.parentElement.closest("h1, h2, h3, h4, dt, span[id]")
      found.at(-1)[heads ? "heading" : "text"] += node.data
    }
  }
  const group = Math.max(PLACES.findIndex((place) => place.test(page)), 0)
  const title = found[0]?.heading.trim()
  return found.map(({link, heading, text}) => ({
    link, title, group,
    heading: (page.startsWith("api") ? heading.split(/[(:]|\[source\]/)[0] : heading).trim(),
    text: text.trim(),
  }))
}

function prepared(section) {
  return {
    ...section,
    inTitle: stemsOf(section.title),
    inHeading: stemsOf(section.heading),
    inText: stemsOf(section.text),
  }
}

// A word that begins as the one that is typed counts, so that results come while one types.
const count = (stems, wanted) => stems.filter((one) => one.startsWith(wanted)).length

function score(section, wanted) {
  let sum = 0
  for (const one of wanted) {
    const heading = count(section.inHeading, one)
    const title = count(section.inTitle, one)
    const text = count(section.inText, one)
    if (!heading && !title && !text) return 0
    sum += (heading ? 20 / section.inHeading.length + 10 : 0) + (title ? 6 : 0) + Math.min(text, 5)
  }
  const whole = !section.group && section.inHeading.join(" ") === wanted.join(" ")
  return (sum + (whole ? 40 : 0)) * WEIGHTS[section.group]
}

// The guide comes before all the rest.
const isRest = (section) => section.group > 0

function found(sections, query) {
  const wanted = stemsOf(query)
  if (!wanted.length) return []
  const pages = new Map()
  return sections
    .map((section) => ({section, score: score(section, wanted)}))
    .filter((one) => one.score > 0)
    .sort((a, b) => isRest(a.section) - isRest(b.section) || b.score - a.score)
    .filter(({section}) => {
      const page = section.link.split("#")[0]
      pages.set(page, (pages.get(page) ?? 0) + 1)
      return pages.get(page) <= OF_A_PAGE
    })
    .slice(0, MOST)
    .map((one) => one.section)
}

function element(name, text, attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes)
  made.textContent = text
  return made
}

// A part of the text around the first word that was found, with all such words marked.
function snippet(text, wanted) {
  const isWanted = (word) => wanted.some((one) => stem(typed(word)).startsWith(one))
  const parts = text.split(/([\p{L}\p{N}⁺•_]+)/u)
  const lengths = parts.reduce((ends, part) => [...ends, ends.at(-1) + part.length], [0])
  const first = Math.max(parts.findIndex(isWanted), 0)
  const start = lengths.findIndex((length) => length >= lengths[first] - BEFORE)
  const end = parts.findIndex((_, i) => lengths[i] > lengths[start] + SNIPPET)
  const shown = parts.slice(start, end < 0 ? parts.length : end)
  const made = element("p", start ? "… " : "")
  made.append(...shown.map((part) => (part && isWanted(part) ? element("mark", part) : part)))
  if (end >= 0) made.append(" …")
  return made
}

function item(section, wanted) {
  const made = document.createElement("li")
  const own = section.heading !== section.title
  const link = element("a", own ? `${section.title} › ${section.heading}` : section.title, {
    href: section.link,
  })
  made.append(link)
  if (GROUPS[section.group]) made.append(element("span", GROUPS[section.group]))
  made.append(snippet(section.text, wanted))
  return made
}

function show(sections, query) {
  const results = found(sections, query)
  const said = results.length === 1 ? "1 result" : `${results.length || "No"} results`
  const status = document.getElementById("search-status")
  status.textContent = query.trim() ? `${said} for “${query.trim()}”` : ""
  const wanted = stemsOf(query)
  const items = results.map((section) => item(section, wanted))
  document.getElementById("search-results").replaceChildren(...items)
}

const sections = Object.entries(window.searchTexts).flatMap(sectionsOf).map(prepared)
const form = document.getElementById("search")
form.q.value = new URLSearchParams(location.search).get("q") ?? ""
show(sections, form.q.value)
form.q.addEventListener("input", () => show(sections, form.q.value))
form.addEventListener("submit", (event) => {
  event.preventDefault()
  history.replaceState(null, "", `?${new URLSearchParams({q: form.q.value})}`)
})
