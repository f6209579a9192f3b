// Names and marks of picks: ucbpe_app.pictures.marks.

import {coordinates, pickLabel} from "./words.js"

// The picks of one place share a label; the current one says where it is, and alone has a name where
// there are many.
export function pickLabels({geometry, roles}, picks, ys, extents) {
  const groups = new Map()
  picks.forEach((pick, k) => {
    if (Number.isFinite(ys[k])) {
      groups.set(pick.index, [...groups.get(pick.index) ?? [], {...pick, y: ys[k]}])
    }
  })
  const named = [...groups.values()].filter((group) => (
    picks.length <= geometry.most_named || group.some(({current}) => current)))
  return named.map((group) => {
    const names = group.map(({number: k}) => pickLabel(k)).join(", ")
    const strong = group.some(({current}) => current)
    return {
      text: strong ? `${names} = ${coordinates(group[0].x, extents)}` : names, strong,
      role: roles[group.at(-1).role].look, place: "point", x: group[0].x[0],
      y: Math.max(...group.map(({y}) => y)),
    }
  })
}

// Picks at columns x and y, as marks of a role.
export function picksAt(lexicon, picks, [x, y], role) {
  const looks = picks.map((pick) => lexicon.roles[pick.role])
  return {
    x, y,
    marker: looks.map(({marker}) => marker),
    fill: looks.map(({color}) => color),
    size: looks.map(({sizes}, k) => sizes[role][Number(picks[k].current)]),
  }
}

// The names of picks as marks, which move with a field.
export function numbers({geometry}, labels, [low, high], [bottom, top]) {
  const {name_edges: edges, name_gaps: gaps} = geometry
  const rim = geometry.name_rim * (top - bottom)
  const offsets = labels.map(({x, strong}) => (
    (x - low) / (high - low) > edges[Number(strong)] ? -1 : 1) * gaps[Number(strong)])
  return {
    x: labels.map(({x}) => x), text: labels.map(({text}) => text),
    y: labels.map(({y}) => Math.min(Math.max(y, bottom + rim), top - rim)),
    align: offsets.map((offset) => (offset > 0 ? "left" : "right")), offset: offsets,
  }
}
