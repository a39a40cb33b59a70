package hosttest

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// fileSize is the size of values that a peer with a state directory keeps in files.
const fileSize = 2 << 20

const chunkSize = 1 << 20

// fileContent returns the payload with a number. All payloads differ, as equal ones would share a file.
func fileContent(id uint64) []byte {
	return binary.LittleEndian.AppendUint64(make([]byte, fileSize-8, fileSize), id)
}

// fileOf returns the name of the payload with a number.
func fileOf(id uint64) wire.Bulk {
	return wire.Bulk{ID: id, Size: fileSize, CRC: wire.CRC(fileContent(id))}
}

// feed sends the payloads that are fetched on a bulk stream, until the stream ends. It calls asked with the
// number of requests.
func (c *talk) feed(asked func(n int)) {
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
		data := fileContent(a.Bulk)
		for at := a.Offset; at < min(a.Offset+a.Credit, fileSize); at += chunkSize {
			c.send(wire.AppendChunk(nil, &wire.Chunk{Bulk: a.Bulk, Offset: at, Data: data[at:min(at+chunkSize, fileSize)]}))
		}
	}
}

// holdingPong returns a patient pong that leaves large vectors in place.
func holdingPong() *runtime.Partition {
	p := patientPong()
	for i := range p.Edges {
		p.Edges[i].InParts = true
	}
	p.Modules[0].New = func() runtime.Body { return &holdingFrame{} }
	return p
}

type holdingFrame struct {
	runtime.Frame
	x     values.Large[float64]
	peers []wire.PeerID
}

func (f *holdingFrame) Run(e *runtime.Engine, _ int) error {
	f.peers = append(f.peers[:0], f.Sender(0))
	e.Send(&f.Frame, 1, f.peers, make([]byte, 8), 1)
	return nil
}

func (f *holdingFrame) Fill(cut int, fill *wire.SlotFill) error {
	if cut > 0 {
		return nil
	}
	return values.TakeLarge(&f.x, fill, values.Open)
}

func (f *holdingFrame) Clear() { f.x.Reset() }

func (f *holdingFrame) AppendBinary(b []byte) ([]byte, error) {
	return values.KeepLarge(f.Keeper(), b, &f.x), nil
}

func (f *holdingFrame) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	values.ReadLarge(f.Keeper(), r, &f.x)
	return r.End()
}

// asksBoth returns an envelope with both fills of an execution, of which the first is a file.
func (h *hostile) asksBoth(seq, number uint64, also wire.EdgeID, file wire.Bulk) []byte {
	return h.ask(seq, number, func(e *wire.Envelope) {
		x := &e.Fills[0]
		e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, also), Type: x.Type, Payload: make([]byte, 8), Dims: []uint64{1}})
		if x = &e.Fills[0]; file.ID != 0 {
			x.Payload, x.Bulk, x.Dims = nil, file, []uint64{fileSize / 8}
		}
	})
}

// A peer with values in files leaves files for the others on a machine with few descriptors, so that values of
// others get a place.
func testFiles(t *testing.T, k *kit) {
	const descriptors = 200
	limitDescriptors(t, descriptors)
	state := t.TempDir()
	p := holdingPong()
	both := k.attackers(t, p, 2, "-state", state)
	bad, good := both[0], both[1]
	const share = descriptors / 4 / 2 // a quarter is for files, and a peer may use half of that
	const most = share * 5 / 4        // including the honest one's, and files being removed

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
		c.send(bad.promise(i+1, i+1, fileOf(i+1)))
	}
	c.send(bad.asksBoth(2*share+1, 2*share+1, p.Edges[2].ID, wire.Bulk{}))
	if n := c.answers(bad, 1); n != 1 { // everything that it has promised is read
		t.Errorf("%d answers", n)
	}
	select {
	case <-enough:
	case <-time.After(patience):
		t.Fatalf("only %d payloads are asked for, want %d", asked.Load(), share-1)
	}

	honest, second := good.meetBulk()
	defer second.Close()
	feeding.Go(func() { second.feed(func(int) {}) })
	honest.send(good.asksBoth(1, 1, p.Edges[2].ID, fileOf(1<<20)))
	if n := honest.answers(good, 1); n != 1 {
		t.Errorf("%d answers", n)
	}
	files, err := os.ReadDir(filepath.Join(state, "values"))
	if err != nil || len(files) > most {
		t.Errorf("there are %d files (%v), want at most %d", len(files), err, most)
	}
}
