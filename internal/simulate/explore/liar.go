package explore

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Lies gives the percentage of an insider's envelopes for each kind of lie.
type Lies struct {
	Drop    int // sends nothing
	Late    int // sends it later
	Replay  int // also repeats an earlier envelope
	Twice   int // fills twice under the same key, with another value
	Shape   int // with other dimensions, type or edge
	Edge    int // over another edge
	Exec    int // of another execution
	Ack     int // acknowledges messages that never came
	Src     int // in the name of another peer
	Garbage int // malformed bytes
	Flood   int // begins many useless executions
	Lose    int // reports that a value is lost
}

func drawLies(r *rand.Rand) (l Lies) {
	for _, p := range []*int{&l.Drop, &l.Late, &l.Replay, &l.Twice, &l.Shape, &l.Edge, &l.Exec, &l.Ack, &l.Src, &l.Garbage, &l.Flood, &l.Lose} {
		if r.IntN(3) == 0 {
			*p = 1 + r.IntN(60)
		}
	}
	return l
}

// liar decides what insiders send.
type liar struct {
	w       *world
	rand    *rand.Rand
	percent []int // of envelopes, by kind of lie
}

func newLiar(w *world) *liar {
	l := &liar{w: w, rand: rand.New(rand.NewPCG(w.c.Seed, 13))}
	for i, v := 0, reflect.ValueOf(w.c.Lies); i < v.NumField(); i++ {
		l.percent = append(l.percent, int(v.Field(i).Int()))
	}
	return l
}

// lie is one of the fields of [Lies].
type lie int

const (
	drops lie = iota
	isLate
	replays
	fillsTwice
	misshapes
	mistakesEdge
	misnames
	acknowledges
	forges
	babbles
	floods
	loses
)

// liesNow reports whether an insider tells a lie now.
func (l *liar) liesNow(x lie) bool {
	if percent := l.percent[x]; percent == 0 || l.rand.IntN(100) >= percent {
		return false
	}
	l.w.seen.saw(lieTold[x])
	return true
}

// forge replaces an envelope of an insider.
func (l *liar) forge(from, to int, e *wire.Envelope) bool {
	if !l.w.c.isInsider(from) {
		return false
	}
	x := *e
	x.Fills = make([]wire.SlotFill, len(e.Fills), len(e.Fills)+1)
	copy(x.Fills, e.Fills)
	l.alter(&x, to)
	b := wire.AppendEnvelope(nil, &x)
	if l.liesNow(babbles) && len(b) > 0 {
		b[l.rand.IntN(len(b))] ^= 1 << l.rand.IntN(8)
	}
	l.transmit(from, to, b)
	if l.liesNow(floods) {
		l.flood(from, to, &x)
	}
	if l.liesNow(mistakesEdge) {
		l.answerForOthers(from, to, e)
	}
	return true
}

// answerForOthers later answers questions of the same execution that other peers were asked.
func (l *liar) answerForOthers(from, to int, e *wire.Envelope) {
	if len(e.Fills) == 0 {
		return
	}
	x := *e
	x.Seq++ // the next one would be lost
	for k, s := range l.w.c.Program.Steps {
		if s.Kind == Few {
			f := e.Fills[0]
			f.Suffix = wire.AppendSite(nil, edgeID(fmt.Sprint("answer", k)))
			x.Fills = []wire.SlotFill{f}
			for i := range 14 {
				b := wire.AppendEnvelope(nil, &x)
				l.w.net.After(1<<(20+i), func() { l.w.net.Inject(from, to, b) })
				x.Seq++
			}
		}
	}
}

// flood begins many useless executions.
func (l *liar) flood(from, to int, e *wire.Envelope) {
	x := *e
	for range 1 << l.rand.IntN(8) {
		x.Seq++
		x.Exec.Origin = l.w.peerID(from)
		x.Exec.Number = l.rand.Uint64N(1 << 40)
		l.w.net.Inject(from, to, wire.AppendEnvelope(nil, &x))
	}
}

// transmit sends bytes, now, later, repeatedly, or never.
func (l *liar) transmit(from, to int, b []byte) {
	net := l.w.net
	k := [2]int{from, to}
	if old := l.w.replays[k]; l.liesNow(replays) && len(old) > 0 {
		net.Inject(from, to, old[l.rand.IntN(len(old))])
	}
	if len(l.w.replays[k]) < 64 {
		l.w.replays[k] = append(l.w.replays[k], b)
	}
	switch {
	case l.liesNow(drops):
	case l.liesNow(isLate):
		net.After(l.rand.Int64N(3e9), func() { net.Inject(from, to, b) })
	default:
		net.Inject(from, to, b)
	}
}

// alter changes an envelope.
func (l *liar) alter(e *wire.Envelope, to int) {
	if l.liesNow(acknowledges) {
		e.Ack += 1 + l.rand.Uint64N(1<<l.rand.IntN(20))
	}
	if l.liesNow(forges) {
		e.Src = l.w.peerID(leader)
	}
	if len(e.Fills) == 0 {
		return
	}
	if l.liesNow(misnames) {
		l.misname(&e.Exec)
	}
	f := &e.Fills[0]
	if l.liesNow(fillsTwice) {
		again := *f
		if len(again.Payload) > 0 {
			again.Payload = tensor.Raw(make([]float64, len(again.Payload)/8))
			again.Blob = nil
		}
		e.Fills = append(e.Fills, again)
		f = &e.Fills[0]
	}
	if l.liesNow(mistakesEdge) {
		edges := l.w.part[to].Edges
		f.Suffix = wire.AppendSite(nil, edges[l.rand.IntN(len(edges))].ID)
	}
	if l.liesNow(misshapes) {
		l.misshape(f)
	}
	if l.liesNow(loses) {
		*f = wire.SlotFill{Suffix: f.Suffix, Lost: "so it says"}
	}
}

// misname changes an execution id.
func (l *liar) misname(x *wire.ExecID) {
	switch l.rand.IntN(5) {
	case 0:
		x.Number += 1 + l.rand.Uint64N(1<<l.rand.IntN(40))
	case 1:
		x.Number -= min(x.Number-1, l.rand.Uint64N(4))
	case 2:
		x.Incarnation += 1 + l.rand.Uint64N(3)
	case 3:
		x.Incarnation -= min(x.Incarnation-1, 1)
	case 4:
		x.Origin = l.w.peerID(l.rand.IntN(l.w.c.peers()))
	}
}

// longestLie is the largest number of elements of a value that an insider makes up.
const longestLie = 1 << 11

// misshape changes a fill so that it does not fit its edge.
func (l *liar) misshape(f *wire.SlotFill) {
	switch l.rand.IntN(6) {
	case 0:
		f.Dims = []uint64{l.rand.Uint64N(1 << l.rand.IntN(63))}
	case 1:
		f.Dims = []uint64{1}
		f.Payload, f.Blob, f.Bulk = tensor.Raw([]float64{1}), nil, wire.Bulk{}
	case 2:
		f.Type++
	case 3:
		f.Trigger = true
	case 4:
		f.Bulk = wire.Bulk{ID: l.rand.Uint64N(100), Size: l.rand.Uint64N(1 << l.rand.IntN(50)), CRC: l.rand.Uint32()}
		f.Payload, f.Blob = nil, nil
	case 5:
		x := make([]float64, 1<<l.rand.IntN(bits.Len(longestLie)))
		f.Dims, f.Payload, f.Blob, f.Bulk = []uint64{uint64(len(x))}, tensor.Raw(x), nil, wire.Bulk{}
	}
}
