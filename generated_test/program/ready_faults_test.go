package program_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"

	readyFront "github.com/bbgen/bbgen/generated_test/program/ready/peer/front/partition"
	readyWorker "github.com/bbgen/bbgen/generated_test/program/ready/peer/worker/partition"
)

// boots is a host of program ready that runs the bootstrap of the front again and again, each time with the next factor. It
// calls the program after each that has ended.
type boots struct {
	net    *mem.Network
	factor int  // of the latest bootstrap
	booted bool // it has ended
	calls  int  // that are answered
	err    error
}

const enoughCalls = 6

func one(x int) tensor.Value { return tensor.Of([]float32{float32(x)}) }

// again begins what has not ended, after a pause: what is begun and not told may be lost with the peer.
func (b *boots) again() {
	if b.over() {
		return
	}
	if n := b.net.Node(0); n != nil && len(n.NotBooted()) == 0 {
		if b.booted {
			b.net.Invoke(0, "front", one(b.factor)) // refused while the bootstrap runs
		} else {
			b.factor++
			b.net.Invoke(0, "bootstrap_dispatch", one(b.factor), one(b.factor))
		}
	}
	b.net.After(int64(300*time.Millisecond), b.again)
}

func (b *boots) over() bool { return b.err != nil || b.calls == enoughCalls }

// isEarlier reports whether an answer may be that to a call after an earlier bootstrap: calls are made again.
func (b *boots) isEarlier(y int) bool {
	for f := 1; f < b.factor; f++ {
		for with := f; with <= b.factor; with++ {
			if y == f*with*with {
				return true
			}
		}
	}
	return false
}

// told checks what the front tells its host.
func (b *boots) told(i int, e runtime.Event) {
	if e.Kind == runtime.Failed && b.err == nil {
		b.err = fmt.Errorf("peer %d: %s: %w", i, e.Name, e.Err)
	}
	if e.Kind != runtime.Emitted || i != 0 || b.over() {
		return
	}
	x := int(tensor.Data[float32](e.Value.(*tensor.Tensor))[0])
	switch f := b.factor; {
	case e.Name == "offset" && x == 2*f:
		b.booted = true
	case e.Name == "y" && b.booted && !b.isEarlier(x):
		if x != f*f*f {
			b.err = fmt.Errorf("the answer to %d is %d after the bootstrap with that factor, want %d", f, x, f*f*f)
		}
		b.calls, b.booted = b.calls+1, false
	}
}

// The bootstrap of a peer runs again with other inputs while peers crash and channels break. What it has set is what the
// next call reads, also if the peer has restarted meanwhile.
func TestReadyAgainUnderFaults(t *testing.T) {
	ms := int64(time.Millisecond)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		faults := mem.Faults(r, 6, 2, 4000*ms)
		for range 3 {
			faults = append(faults, mem.Fault{At: r.Int64N(4000) * ms, For: 20 * ms, Kind: mem.Crash, Node: 0})
		}
		b := &boots{factor: 1, net: mem.New(mem.Config{Seed: seed, Delay: ms, Jitter: ms, Persist: ms, Faults: faults})}
		b.net.Add(runtime.Config{Durable: true}, func() *runtime.Partition { return made(t, readyFront.Default, runtime.Env{Class: "front"}) })
		b.net.Add(runtime.Config{Durable: true}, func() *runtime.Partition { return made(t, readyWorker.Default, runtime.Env{Class: "worker"}) })
		b.net.Booting = func(i int, n *runtime.Node) {
			for _, module := range n.NotBooted() {
				inputs := []tensor.Value{one(1), one(1)}
				n.Invoke(n.Now(), module, inputs[:2-i]...)
			}
		}
		b.net.Told = b.told
		b.net.After(ms, b.again)
		if ok, err := b.net.Run(int64(time.Hour), b.over); err != nil || !ok || b.err != nil {
			t.Errorf("seed %d: factor %d: %v, %v", seed, b.factor, err, b.err)
		}
	}
}
