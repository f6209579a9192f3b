// Scales that step rarely: ucbpe_app.pictures.plane_geometry.

const STEP = Math.sqrt(2)
const MOST_STEPS = 30

// `limit`, divided by sqrt(2) as often as `needed` still fits.
export function stepped(limit, needed) {
  for (let i = 0; i < MOST_STEPS && !(limit / STEP < needed); i++) { limit /= STEP }
  return limit
}

// Of the layers `featured`: the map of an event, whatever else could be the large one.
export const MAP = "map"
