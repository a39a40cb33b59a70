package hosttest

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// fileSize is that of values which a peer with a state directory keeps in files.
const fileSize = 2 << 20

// feed sends the payloads that are fetched on a bulk stream, each of zeros, until the
// stream ends. It tells how many have been asked for.
func (c *talk) feed(asked func(n int)) {
	zeros := make([]byte, 1<<20)
	seen := map[uint64]bool{}
	for {
		b, err := c.next()
		if err != nil {
			return
		}
		a, err := wire.ConsumeAck(b)
		if err != nil {
			c.t.Error(err)
			return
		}
		if !seen[a.Bulk] {
			seen[a.Bulk] = true
			asked(len(seen))
		}
		for at := a.Offset; at < min(a.Offset+a.Credit, fileSize); at += uint64(len(zeros)) {
			c.send(wire.AppendChunk(nil, &wire.Chunk{Bulk: a.Bulk, Offset: at, Data: zeros[:min(uint64(len(zeros)), fileSize-at)]}))
		}
	}
}

// A peer that has its values kept in files has no more of them than is left for others,
// on a machine with few descriptors: what others send finds a place.
func testFiles(t *testing.T, k *kit) {
	const descriptors = 200
	limitDescriptors(t, descriptors)
	state := t.TempDir()
	p := patientPong()
	both := k.attackers(t, p, 2, "-state", state)
	bad, good := both[0], both[1]
	zeros := wire.Bulk{Size: fileSize, CRC: wire.CRC(make([]byte, fileSize))}
	const share = descriptors / 4 / 2 // a quarter is for files, and half of that a peer's
	const most = share * 5 / 4        // with the honest one's, and what is being removed

	var feeding sync.WaitGroup
	defer feeding.Wait()
	c, bulk := bad.meetBulk()
	defer bulk.Close()
	enough, asked := make(chan bool), atomic.Int64{}
	feeding.Go(func() {
		bulk.feed(func(n int) {
			if asked.Store(int64(n)); n == share-1 {
				close(enough)
			}
		})
	})
	for i := range uint64(2 * share) {
		zeros.ID = i + 1
		c.send(bad.promise(i+1, i+1, zeros))
	}
	select {
	case <-enough:
	case <-time.After(patience):
		t.Fatalf("only %d payloads are asked for, want %d", asked.Load(), share-1)
	}

	honest, second := good.meetBulk()
	defer second.Close()
	feeding.Go(func() { second.feed(func(int) {}) })
	zeros.ID = 1
	honest.send(good.ask(1, 1, func(e *wire.Envelope) {
		x := &e.Fills[0]
		x.Payload, x.Bulk, x.Dims = nil, zeros, []uint64{fileSize / 8}
		e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, p.Edges[2].ID), Type: x.Type, Payload: make([]byte, 8), Dims: []uint64{1}})
	}))
	if n := honest.answers(good, 1); n != 1 {
		t.Errorf("%d answers", n)
	}
	files, err := os.ReadDir(filepath.Join(state, "values"))
	if err != nil || len(files) > most {
		t.Errorf("there are %d files (%v), want at most %d", len(files), err, most)
	}
}
