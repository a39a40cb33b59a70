package simulate

import (
	"fmt"
	"math"
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/simulate/parts"
	"github.com/bbgen/bbgen/runtime/component/clustered"
)

// update is the type of a worker's change of one of two models.
var update = dsl.GoType(clustered.Update{}, 64)

// kin sends two models to all workers, and adds to each the mean change by those that have chosen it.
func (w *writer) kin(a, b dsl.Value, act *action) dsl.Value {
	g, kinds, workers := w.g, w.slots.Kinds[act.port], w.g.Peers("worker")
	models := g.Reshape(g.Concat(0, narrow(g, a), g.Neg(narrow(g, b))), 2, 2)
	g.NetOut(fmt.Sprint("ask", act.port), workers, models)
	y := g.Input(fmt.Sprint("answer", act.port), update, dsl.From(workers))
	weight := w.slots.Kin.Call(g, "Weight", dsl.Float32(), y)
	mean := kinds.Aggregate(g, kinds.Contribute(g, y, weight), dsl.Float32(2, 2), dsl.Quorum(dsl.All), dsl.Within(10*time.Minute))
	return w.slots.Kin.Call(g, "Middle", vec, g.Add(models, mean))
}

// kin trains the model that suits a worker.
func (w worker) kin(g *dsl.Graph, a *action) {
	pair := dsl.Float32(2)
	models := g.Input(fmt.Sprint("ask", a.port), dsl.Float32(2, 2))
	best := w.Choice.Call(g, "Best", dsl.Int64(), w.Kin.Call(g, "Losses", pair, models))
	model := w.Choice.Call(g, "Pick", pair, models, best)
	y := (&writer{g, &w.Slots, a.port, fmt.Sprint("ask", a.port), dsl.Value{}}).run(wide(g, model), a.sub)
	change := g.Sub(narrow(g, y), model)
	g.NetOut(fmt.Sprint("answer", a.port), g.Sender(models), w.Choice.Call(g, "Update", update, change, best))
}

// kin computes what kin of a leader returns.
func (ref *reference) kin(a, b []float64, act *action) []float64 {
	models := [2]parts.Model{narrowed(a), narrowed(each(b, b, func(v, _ float64) float64 { return -v }))}
	var sums [2][2]float64
	var weights [2]float64
	for _, w := range ref.everyone() {
		i := 0
		if parts.LossOf(w, models[1].Data) < parts.LossOf(w, models[0].Data) {
			i = 1
		}
		ref.rank = w
		y := ref.run(fmt.Sprint("worker ", w), act.port, widened(models[i], nil), act.sub)
		ref.rank = 0
		change := subtracted(narrowed(y), models[i]).Data
		weight := float64(float32(math.Abs(float64(change[0]))) + 1)
		weights[i] += weight
		for j, v := range change {
			sums[i][j] += float64(float64(v) * weight)
		}
	}
	var out []float64
	for j := range 2 {
		var next [2]float64
		for i, m := range models {
			next[i] = float64(m.Data[j])
			if weights[i] > 0 {
				next[i] = float64(m.Data[j] + float32(sums[i][j]/weights[i]))
			}
		}
		out = append(out, (next[0]+next[1])/2+0) // zeros of both signs are equal
	}
	return out
}
