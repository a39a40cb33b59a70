package simulated

import (
	"fmt"
	"strings"
	"testing"

	worker "github.com/bbgen/bbgen/examples/dataparallel/peer/worker/partition"
	"github.com/bbgen/bbgen/examples/dataparallel/program"
	"github.com/bbgen/bbgen/internal/failtest"
)

// A training with another number of steps than it promises fails.
func TestSteps(t *testing.T) {
	p := Training{Name: "dataparallel", Partition: worker.Default, Workers: 2, Steps: program.Steps + 1}
	r := failtest.Run(t, func(r testing.TB) { p.Timing(r) })
	if len(r.Errors) != 1 || !strings.HasPrefix(r.Errors[0], fmt.Sprintf("%d steps, want %d", program.Steps, p.Steps)) {
		t.Errorf("the failures are %q", r.Errors)
	}
}

// A delay of messages changes no parameters.
func TestTiming(t *testing.T) {
	p := Training{Name: "dataparallel", Partition: worker.Default, Workers: 2, Steps: program.Steps}
	p.Timing(t, "delay=20ms")
}
