// A class that is asked for a place: no dot as long as phones can change theirs, then all dots of one vote
// or of two, the first one hollow. On a curve they are stacked in bins, from many on as bars; on a map each
// is at its place. The answer is there, and Next is free, once the round is closed.

const BINS = 24
const CROWD = 60 // taps of one vote, which are drawn as bars
const TAP = {width: 12, pitch: 13.4} // px, of one vote; those of two votes are smaller
const SPREAD = 4 // px between taps at one place of a map
const GOLDEN = 2.4 // radians from one of them to the next

// How many places, in px, are in each of the bins from `left` on.
export function binned(places, left, width) {
  const counts = new Array(BINS).fill(0)
  for (const x of places) { counts[Math.min(Math.max(Math.floor(BINS * (x - left) / width), 0), BINS - 1)] += 1 }
  return counts
}

function createClass(stage, act) {
  const isMap = ({y}) => y.length > 0
  const names = (votes, i) => (i === votes.length - 1 ? "tap" : "tap first")

  // At most as high as the plot: where more are in a bin, they overlap.
  function stacked({votes, x: places}) {
    const {left, width, bottom, height, x} = stage.main()
    const bins = votes.map((vote) => binned(vote.map((tap) => x(places[tap])), left, width))
    const [share, most] = [1 / Math.max(votes.length, 1), Math.max(1, ...bins.flat())]
    const size = Math.min(TAP.width * (stage.large ? 1 : 0.8), 0.94 * share * width / BINS)
    const pitch = Math.min(size * TAP.pitch / TAP.width, 0.9 * height / most)
    const isBars = votes.some((vote) => vote.length >= CROWD)
    return bins.flatMap((counts, i) => counts.flatMap((count, bin) => {
      const at = left + (bin + 0.5 + (i - (votes.length - 1) / 2) * share) * width / BINS
      if (isBars) {
        const high = 0.45 * height * count / most
        return count ? [svgNode("rect", {class: names(votes, i), x: at - size / 2, y: bottom - high, width: size, height: high})] : []
      }
      return Array.from({length: count}, (_, level) => svgNode("circle", {
        class: names(votes, i), cx: at, cy: bottom - pitch * (level + 0.5), r: size / 2 - 0.5}))
    }))
  }

  // Those at one place are spread around it.
  function scattered({votes, x: across, y: upwards}) {
    const {x, y} = stage.main()
    return votes.flatMap((vote, i) => {
      const met = new Map()
      return vote.map((tap) => {
        const n = met.get(tap) ?? 0
        met.set(tap, n + 1)
        const [away, turn] = [SPREAD * Math.sqrt(n), GOLDEN * n]
        return svgNode("circle", {class: names(votes, i), r: stage.large ? 6 : 5,
          cx: x(across[tap]) + away * Math.cos(turn), cy: y(upwards[tap]) + away * Math.sin(turn)})
      })
    })
  }

  const drawn = (ask) => (isMap(ask) ? scattered(ask) : stacked(ask))

  function draw(mark, ask) {
    const isClosed = ask.votes.length > 0
    if (isClosed !== (mark !== null)) {
      act(isClosed ? {do: "mark", mark: "taps"} : {do: "unmark"}) // and is drawn with that
      return
    }
    stage.title(stage.main(), ask.question)
    stage.svg.replaceChildren(...drawn(ask))
  }

  // The figure's own mark of the pick lies under this layer: on a map it is drawn over the dots once more.
  function gap(_, ask) {
    const {x, y} = stage.main()
    const shape = isMap(ask) && PICKS[ask.plot]
    const at = `translate(${x(ask.x[ask.pick])} ${y(ask.y[ask.pick] ?? 0)}) scale(${stage.large ? 20 : 13})`
    stage.title(stage.main(), "")
    stage.svg.replaceChildren(...drawn(ask), ...shape ? [svgNode("path", {class: `pick ${ask.plot}`, d: shape, transform: at})] : [])
  }

  return {draw, gap}
}

// By the plot of their criterion.
const PICKS = {
  function: "M0-1 .24-.28 1-.28.38.17.62.9 0 .44-.62.9-.38.17-1-.28-.24-.28Z",
  std: "M0-1 1 0 0 1-1 0Z",
}
