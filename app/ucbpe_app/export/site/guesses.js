// Guesses in a lesson's pictures: the candidate nearest to a click, and the mark that shows it.

const MARK = [["#000000", 3.6], ["#FFFFFF", 1.4]] // line and width: a light line on a dark casing

function createPictures({picture, places, size}, figures, onGuess) {
  const models = [...new Set(figures.roots().flatMap((root) => [...root.references()]))]
  const plots = models.filter((one) => one.css_classes?.includes?.(`lab-at-${picture}`))
  const columns = {curve: ["x", "mean", "std"], field: ["x", "y"], plane: ["std", "mean"]}[picture]
  const keys = (source) => [...(source.data instanceof Map ? source.data.keys()
    : Object.keys(source.data))].sort().join()
  const wanted = [...columns, "line", "width"].sort().join()
  const source = models.find((one) => one.type === "ColumnDataSource" && keys(one) === wanted)
  let axes = null // a column of numbers for each column that is drawn

  const nearest = (plot, x, y) => {
    const [dx, dy] = [[plot.x_range, plot.inner_width], [plot.y_range, plot.inner_height]]
      .map(([range, length]) => Math.abs(range.end - range.start) / Math.max(1, length))
    const across = axes[columns[0]], upward = picture === "curve" ? null : axes[columns[1]]
    let [best, least] = [-1, Infinity]
    for (let i = 0; i < size; i++) {
      const right = (across[i] - x) / dx, up = upward ? (upward[i] - y) / dy : 0
      const distance = right * right + up * up
      if (distance < least) { [best, least] = [i, distance] }
    }
    return best
  }
  for (const plot of plots) {
    plot.on_event("tap", ({x, y}) => {
      if (axes && Number.isFinite(x)) { onGuess(nearest(plot, x, y)) }
    })
  }
  return {
    // Where candidates are while a round is asked, and then while its pick is shown.
    place: (round, shown) => {
      const at = Number(shown)
      axes = round && {x: places[0], y: places[1], mean: round.mean[at], std: round.std[at]}
    },
    draw: (guess) => {
      const rows = guess === null || !axes ? [] : MARK
      const data = Object.fromEntries(columns.map((name) => [name, rows.map(() => axes[name][guess])]))
      data.line = rows.map(([color]) => color)
      data.width = rows.map(([, width]) => width)
      source?.setv({data})
    },
  }
}
