package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestBulkTwice: fills of an envelope may share a payload, which is fetched and counted once. A fill that gives the number of a
// payload to another one is of a peer that violates the protocol: nothing is fetched for it.
func TestBulkTwice(t *testing.T) {
	one := wire.Bulk{ID: 1, Size: 1 << 20, CRC: 7}
	larger, other, second := one, one, one
	larger.Size, other.CRC, second.ID = 1<<21, 8, 2
	for name, c := range map[string]struct {
		fills   []wire.Bulk
		fetches []wire.Bulk
		refused uint64
	}{
		"shared":             {[]wire.Bulk{one, one, one}, []wire.Bulk{one}, 0},
		"two":                {[]wire.Bulk{one, second, one}, []wire.Bulk{one, second}, 0},
		"another size":       {[]wire.Bulk{one, larger}, []wire.Bulk{one}, 1},
		"another sum":        {[]wire.Bulk{one, other}, []wire.Bulk{one}, 1},
		"a smaller one":      {[]wire.Bulk{larger, one}, []wire.Bulk{larger}, 1},
		"behind another":     {[]wire.Bulk{second, one, larger, other, second}, []wire.Bulk{second, one}, 2},
		"refused once again": {[]wire.Bulk{one, larger, larger}, []wire.Bulk{one}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			_, b, _ := bulkPair(t)
			e := wire.Envelope{Exec: wire.ExecID{Origin: testPeer(1), Incarnation: 1, Number: 1}, Seq: 1}
			for _, bulk := range c.fills {
				e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, bulkEdge), Type: bulkType, Bulk: bulk})
			}
			fetches := deliverAll(t, b, testPeer(1), [][]byte{wire.AppendEnvelope(nil, &e)})
			if !slices.Equal(fetches, c.fetches) || b.Stats().Refused != c.refused {
				t.Errorf("fetches %v, and %d fills are refused; want %v and %d", fetches, b.Stats().Refused, c.fetches, c.refused)
			}
			size := uint64(0)
			for _, f := range c.fetches {
				size += f.Size
			}
			if used := b.ledger.Used(ledger.Spooled); uint64(used) != size {
				t.Errorf("%d bytes are counted, want %d", used, size)
			}
		})
	}
}

// TestBulkOtherIsReported: the event names the reason, and the payload that was there first still arrives.
func TestBulkOtherIsReported(t *testing.T) {
	_, b, got := bulkPair(t)
	good := make([]byte, 101)
	bulk := wire.Bulk{ID: 1, Size: uint64(len(good)), CRC: wire.CRC(good)}
	larger := bulk
	larger.Size++
	e := wire.Envelope{Exec: wire.ExecID{Origin: testPeer(1), Incarnation: 1, Number: 1}, Seq: 1}
	for _, x := range []wire.Bulk{bulk, larger} {
		e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, bulkEdge), Type: bulkType, Bulk: x})
	}
	deliverOnly(t, b, testPeer(1), [][]byte{wire.AppendEnvelope(nil, &e)})
	told := false
	for o, ok := b.Poll(0); ok; o, ok = b.Poll(0) {
		told = told || o.Kind == Tell && o.Event.Kind == Refused && errors.Is(o.Event.Err, wire.ErrMalformed)
	}
	if !told {
		t.Error("no event says why the fill is refused")
	}
	b.Filled(0, testPeer(1), larger, wire.Bytes(make([]byte, 102))) // nobody waits for it
	b.Filled(0, testPeer(1), bulk, wire.Bytes(good))
	pollAll(b, 0)
	if len(*got) != 1 || len((*got)[0]) != len(good) {
		t.Errorf("%d payloads came, want the first one", len(*got))
	}
}
