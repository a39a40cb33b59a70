package collective

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// All ranks must choose the same algorithm, so they need the same numbers. Each confirmation of a call contains the
// worst of what its sender and the ranks that it has heard from have measured: so a rank that knows that all have their
// results knows the slowest link of all, and all know the same. As a stream has at most one unconfirmed call beside the
// one that begins, a call is planned by what the confirmation of the call before the last one has told. Where that is
// not known to all, because the members have changed since, it is planned by what they reported then; in the first epoch the ranks
// assume the usual.
//
// A rank that tells others different things about its links makes them choose different algorithms. Nobody can know
// which rank that was, so its lie must have no effect: a rank that receives a message by another algorithm than its own
// doubts the links. All end the epoch as if a rank were lost, begin another one with the same members, and repeat the
// calls, whose sums have the same bits by any algorithm. In that epoch nothing depends on links: so a rank that sends by
// another algorithm again, or doubts again, is wrong by itself, and the error names it.

// agreed is what all ranks know about their links since a call was confirmed.
type agreed struct {
	call  uint64
	epoch Epoch
	ranks int
	links Links
}

// SetLinks tells the group what this rank has measured.
func (g *Group) SetLinks(l Links) {
	g.links = Links{max(l.Latency, 0), max(l.Bandwidth, 0), min(max(l.Sharing, 0), maxSharing)}
}

// linksOf returns the links by which all ranks plan a call.
func (g *Group) linksOf(c *call) Links {
	a := &g.streams[c.stream].agreed[c.number%2]
	switch {
	case g.static:
		return Links{}
	case a.call+2 == c.number && a.epoch == g.epoch && a.ranks == len(c.members):
		return a.links
	}
	return g.reported
}

// keepLinks keeps what the ranks know when a call is confirmed.
func (g *Group) keepLinks(c *call) {
	g.streams[c.stream].agreed[c.number%2] = agreed{c.number, c.epoch, len(c.members), c.links}
}

// linksBytes is the size of Links in a message.
const linksBytes = 24

// maxSharing is more than the number of ranks that share a processor.
const maxSharing = math.MaxInt32

func (l Links) append(b []byte) []byte {
	for _, x := range [...]uint64{uint64(l.Latency), uint64(l.Bandwidth), uint64(l.Sharing)} {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// readLinks is the inverse of Links.append.
func readLinks(b []byte) (Links, error) {
	latency, bandwidth, sharing := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	if latency > math.MaxInt64 || bandwidth > math.MaxInt64 || sharing > maxSharing {
		return Links{}, fmt.Errorf("%w: a latency of %d ns, %d bytes a second and %d ranks that share a processor", ErrMessage, latency, bandwidth, sharing)
	}
	return Links{time.Duration(latency), int64(bandwidth), int(sharing)}, nil
}
