package collectives

import (
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/wire"
)

// forge replaces what the liar tells about its links, which is in its confirmations: some ranks are told of fast links,
// and the others of slow ones, and of processors that many share.
func (g *game) forge(from, to int, e *wire.Envelope) bool {
	for i := range e.Fills {
		f := &e.Fills[i]
		var m collective.Message
		if m.SetWords(f.Dims) != nil {
			continue
		}
		switch {
		case m.Type == collective.Lost && len(f.Payload) > 2*g.c.Ranks && f.Payload[2*g.c.Ranks] != 0: // after the lost and the joining ranks
			g.seen.Doubts++
		case from == g.c.Liar && m.IsConfirmation() && len(f.Payload) > 0: // it is empty where nothing depends on links
			f.Payload = links(to%2 == 0)
			g.seen.Lies++
		}
	}
	return false
}

// links returns a latency, a bandwidth and how many ranks share a processor, as confirmations contain them.
func links(fast bool) (b []byte) {
	told := []uint64{1, 1e12, 1}
	if !fast {
		told = []uint64{1e9, 1, 16}
	}
	for _, x := range told {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}
