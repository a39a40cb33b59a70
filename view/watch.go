package view

import "github.com/bbgen/bbgen/ir"

// Names of the graphs of a compilation, in the order of their appearance. Training converts the model to its
// step.
var (
	modelNames   = []string{"model"}
	trainerNames = []string{"step", "evaluation", "forward"}
)

// watcher records the results of the stages of a compilation.
type watcher struct {
	names  []string
	sizes  map[string]int
	graphs []*Graph
	by     map[*ir.Module]*collector
}

func newWatcher(names []string, sizes map[string]int) *watcher {
	return &watcher{names: names, sizes: sizes, graphs: []*Graph{}, by: map[*ir.Module]*collector{}}
}

// watch implements [bbgen.Config.Watch].
func (w *watcher) watch(stage string, m *ir.Module) {
	c := w.by[m]
	if c == nil {
		c = newCollector(w.names[min(len(w.graphs), len(w.names)-1)], w.sizes)
		w.by[m] = c
		w.graphs = append(w.graphs, c.graph)
	}
	c.note(stage, m)
}
