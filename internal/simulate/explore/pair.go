package explore

import "github.com/bbgen/bbgen/runtime"

// pair is a frame that takes two values of one execution.
type pair struct {
	answer
	edge int // of the first
}

func (f *pair) Run(*runtime.Engine, int) error {
	f.p.deeds.add(deed{both, uint32(f.edge), uint32(indexOf(f.Sender(0))), f.Exec()})
	return nil
}
