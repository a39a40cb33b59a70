package simulated

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	worker "github.com/bbgen/bbgen/examples/dataparallel/peer/worker/partition"
	"github.com/bbgen/bbgen/examples/dataparallel/program"
)

// recorder records the failure of a test.
type recorder struct {
	testing.TB
	message string
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// A training with another number of steps than it promises fails.
func TestSteps(t *testing.T) {
	p := Training{Name: "dataparallel", Partition: worker.Default, Workers: 2, Steps: program.Steps + 1}
	r, done := &recorder{TB: t}, make(chan bool)
	go func() {
		defer close(done)
		p.Timing(r)
	}()
	if <-done; !strings.HasPrefix(r.message, fmt.Sprintf("%d steps, want %d", program.Steps, p.Steps)) {
		t.Errorf("the failure is %q", r.message)
	}
}

// A delay of messages changes no parameters.
func TestTiming(t *testing.T) {
	p := Training{Name: "dataparallel", Partition: worker.Default, Workers: 2, Steps: program.Steps}
	p.Timing(t, "delay=20ms")
}
