package differ

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/internal/randomgraph"
)

// Failure is a model with different results in two ways to run it.
type Failure struct {
	Model *randomgraph.Model
	Stage Stage
	Run   int // number of the model's run, or -1
	Err   error
}

// Stage is the stage that found a failure.
type Stage string

// The stages.
const (
	Evaluating Stage = "evaluate" // the reference panics
	Passing    Stage = "passes"   // a pass or the plan fails, or the evaluation of the optimized graph
	Optimized  Stage = "optimize" // the optimized graph has other results
	Printing   Stage = "print"    // no code is generated
	Building   Stage = "build"    // the code does not compile
	Portable   Stage = "portable" // the code has other results than the optimized graph
	Native     Stage = "native"   // the same at this machine's level
)

// Error names the model and the difference.
func (f *Failure) Error() string {
	return fmt.Sprintf("seed %d: %s, run %d: %v", f.Model.Seed, f.Stage, f.Run, f.Err)
}

// Same reports whether g is likely the same fault as f: found by the same stage, with the same error up to
// numbers and names.
func (f *Failure) Same(g *Failure) bool {
	return g != nil && f.Stage == g.Stage && kind(f.Err) == kind(g.Err)
}

// kind returns the first words of an error, which name no value.
func kind(err error) string {
	if i := strings.LastIndex(err.Error(), "panic: "); i >= 0 {
		return err.Error()[i:]
	}
	if strings.Contains(err.Error(), "differ") {
		return "differ"
	}
	return "error"
}
