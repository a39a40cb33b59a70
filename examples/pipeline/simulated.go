package main

import (
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"

	stage0 "github.com/bbgen/bbgen/examples/pipeline/peer/stage0/partition"
	stage1 "github.com/bbgen/bbgen/examples/pipeline/peer/stage1/partition"
	stage2 "github.com/bbgen/bbgen/examples/pipeline/peer/stage2/partition"
)

// simulated sends all batches at once through the three stages in this process.
func simulated(batches []*tensor.Tensor) (out []*tensor.Tensor, inFlight int, err error) {
	net := mem.New(mem.Config{Seed: 1, Delay: int64(time.Millisecond), Command: int64(5 * time.Millisecond)})
	for _, part := range []func(runtime.Env) (*runtime.Partition, error){stage0.Default, stage1.Default, stage2.Default} {
		if _, err := part(runtime.Env{}); err != nil {
			return nil, 0, err
		}
		net.Add(runtime.Config{}, func() *runtime.Partition {
			p, _ := part(runtime.Env{}) // it could be made above
			return p
		})
	}
	net.Started = func(i int, n *runtime.Node) {
		for k := 0; i == 0 && k < len(batches) && err == nil; k++ {
			_, err = n.Invoke(n.Now(), "stage0", batches[k])
		}
	}
	first := map[uint64]int{} // the batch of an execution, by its number
	net.Told = func(i int, e runtime.Event) {
		switch {
		case e.Kind == runtime.Emitted:
			first[e.Exec.Number] = len(out)
			out = append(out, e.Value.(*tensor.Tensor))
		case e.Kind == runtime.Failed && err == nil:
			err = e.Err
		}
		if n := net.Node(0); n != nil && i == 0 {
			inFlight = max(inFlight, n.Stats().Live)
		}
	}
	done, runErr := net.Run(int64(time.Hour), func() bool { return len(out) == len(batches) || err != nil })
	switch {
	case runErr != nil:
		return nil, 0, runErr
	case err != nil:
		return nil, 0, err
	case !done:
		return nil, 0, fmt.Errorf("%d of %d batches came out", len(out), len(batches))
	}
	sorted := make([]*tensor.Tensor, len(out))
	for number, at := range first {
		sorted[number-1] = out[at] // executions are numbered in the order of Invoke, from 1
	}
	return sorted, inFlight, nil
}
