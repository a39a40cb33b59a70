package simulated

import (
	"testing"

	worker "github.com/bbgen/bbgen/examples/dataparallel/peer/worker/partition"
	"github.com/bbgen/bbgen/examples/dataparallel/program"
)

func TestTiming(t *testing.T) {
	p := Training{Name: "dataparallel", Partition: worker.Default, Workers: 2, Steps: program.Steps}
	p.Timing(t, "delay=20ms")
}
