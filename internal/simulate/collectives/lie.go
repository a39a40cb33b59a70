package collectives

import (
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/wire"
)

// forge replaces what the liar tells about its links, which is in its confirmations: some ranks are told of fast links,
// and the others of slow ones.
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

// links returns a latency and a bandwidth as confirmations contain them.
func links(fast bool) []byte {
	latency, bandwidth := uint64(1), uint64(1e12)
	if !fast {
		latency, bandwidth = 1e9, 1
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, latency), bandwidth)
}
