package hosttest

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// An insider that answers each request fifty times costs the time of a few answers: useless messages are read
// slowly. Rounds continue.
func testWaste(t *testing.T, k *kit) {
	serverKey, server := member(t, "server", 0)
	var keys []string
	var all []peer.Member
	for rank := range 3 {
		file, m := member(t, "client", rank)
		keys, all = append(keys, file), append(all, m)
	}
	var late atomic.Int64
	p := k.program(besiegedServer(), invoke("server", []float64{8, -3}))
	p.Tell = func(e runtime.Event) {
		if e.Kind == runtime.Late && e.Peer == all[2].ID {
			late.Add(1)
		}
	}
	s := start(t, p, "-key", serverKey, "-peers", peersFile(t, all...), "-listen", k.listen, "-await", "client=2")
	server.Addresses = s.addresses()
	for rank := range 2 {
		start(t, k.program(handmade.Client(&handmade.Trainer{Rank: rank}), nil), "-key", keys[rank], "-rank", fmt.Sprint(rank), "-peers", peersFile(t, server))
	}
	s.awaitKind("emitted")
	began := time.Now()
	i := &insider{hostile: hostile{t: t, tr: k.bareKey(t, keys[2], false), id: all[2].ID, pong: s}, update: updateEdge(), stop: make(chan struct{}), over: make(chan struct{})}
	asked := atomic.Int64{}
	i.begin(func(i *insider, c *talk) {
		i.converse(c, func(x wire.ExecID) {
			asked.Add(1)
			for range 50 {
				i.answer(c, x, 0, 1)
			}
		})
	})
	defer i.end()
	s.await("500 rounds", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round >= 500 && asked.Load() >= 100 })
	// Each message to the insider compensates for four, and there is one in a round. A thousand are in the
	// batches that were read before they were known to be useless, and a batch of up to five hundred is read in
	// each half of a second.
	n, rounds := late.Load(), int64(len(s.emitted()))
	if most := 4*rounds + 1100 + int64(1000*time.Since(began).Seconds()); n > most {
		t.Errorf("%d answers in vain are read in %d rounds, of %d questions, want at most %d", n, rounds, asked.Load(), most)
	}
}
