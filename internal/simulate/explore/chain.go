package explore

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// script is the program of a chain.
type script struct {
	*part
	module int
	name   string
	steps  []Step
	cuts   []int  // of the steps: the first one
	reply  string // the edge for the result; "": none
	top    string // the number of the leader's step to which it belongs
}

// chain is a frame that executes steps one after the other on its value.
//
// A value begins with its lane and round, so that a misdirected one is detected.
type chain struct {
	runtime.Frame
	s     *script
	x, in tensor.Dense[float64] // in: the initial value of a round of the leader
	y     tensor.Dense[float64] // an answer
	masks []float64             // the participants of each question
	asked []wire.PeerID
	tasks [slots]task
}

// task is a command of a slot.
type task struct {
	f    *chain
	slot int
}

// Do does nothing: the next block computes the result of the command.
func (t *task) Do() error { return nil }

func (f *chain) lane() int  { return int(f.x.Data[0]) }
func (f *chain) round() int { return int(f.x.Data[1]) }

// wrong reports a violated invariant.
func (f *chain) wrong(format string, args ...any) {
	f.s.wrong(fmt.Errorf("%s of %v: %s", f.s.name, f.Exec(), fmt.Sprintf(format, args...)))
}

// Run ends the step before the block, and begins the block's own.
func (f *chain) Run(e *runtime.Engine, block int) error {
	f.once(ran, block, f.s.index)
	if f.s.fails != nil && f.s.fails(f.Exec(), f.s.name, block, len(f.s.steps), f.lane(), f.round()) {
		f.s.deeds.add(deed{what: failed, exec: f.Exec()})
		return errPlanned
	}
	if done, _ := f.s.deeds.has(booted); !done && f.s.index == relay && f.s.c.Program.Boot > 0 {
		f.wrong("it runs before the relay has started")
	}
	if block > 0 && block <= len(f.s.steps) {
		if err := f.ends(e, block-1); err != nil {
			return err
		}
	}
	switch {
	case block == len(f.s.steps):
		return f.last(e)
	case block > len(f.s.steps):
		return f.again(e)
	}
	f.s.seen.saw(stepDone[f.s.steps[block].Kind])
	f.begins(e, block)
	return nil
}

// once records an action of this execution.
func (f *chain) once(w what, where, peer int) {
	if !f.s.deeds.add(deed{w, uint32(f.s.module<<8 | where), uint32(peer), f.Exec()}) {
		f.wrong("deed %d at %d happens twice", w, where)
	}
}

// begins begins a step.
func (f *chain) begins(e *runtime.Engine, k int) {
	cut := f.s.cuts[k]
	switch f.s.steps[k].Kind {
	case Sleep:
		e.After(&f.Frame, cut, sleepTime)
	case Work, Other:
		e.Start(&f.Frame, cut)
	case Either:
		e.After(&f.Frame, cut, sleepTime)
		e.Start(&f.Frame, cut+1)
	case Feed:
		f.s.queued.Dequeue(e, &f.Frame, cut)
	case Await:
		e.AwaitPeers(&f.Frame, cut, "worker", 1)
	case Stray, Apart:
		f.tellRelay(e, k)
		e.Bring(&f.Frame, cut)
	case Tell:
		f.mentions(e)
		e.Bring(&f.Frame, cut)
	case Visit, Far, Self:
		f.asks(e, k)
		e.Bring(&f.Frame, cut+1)
	default:
		f.asks(e, k)
	}
}

const sleepTime = 7e6

// tellRelay sends a message to the relay, without an answer.
func (f *chain) tellRelay(e *runtime.Engine, k int) {
	f.asked = e.Peers(f.asked[:0], "relay")
	raw, size := tensor.Raw(f.x.Data), uint64(f.x.Len())
	if f.s.steps[k].Kind == Stray {
		f.sends(e, fmt.Sprint("stray", k))
		return
	}
	x := e.NewExecution() // of both values
	e.SendApart(&f.Frame, x, f.s.names[fmt.Sprint("apart", k)], f.asked, raw, size)
	e.SendApart(&f.Frame, x, f.s.names[fmt.Sprint("apart_too", k)], f.asked, raw, size)
}

// mentions sends a message to the relay in a separate execution, and records that.
func (f *chain) mentions(e *runtime.Engine) {
	f.asked = e.Peers(f.asked[:0], "relay")
	edge := f.s.names["tell"+f.s.top]
	f.sent(edge, f.asked[0])
	e.SendApart(&f.Frame, e.NewExecution(), edge, f.asked, tensor.Raw(f.x.Data), uint64(f.x.Len()))
}

// asks sends the value to others, and expects their results.
func (f *chain) asks(e *runtime.Engine, k int) {
	name, class := "visit", "relay"
	switch f.s.steps[k].Kind {
	case Ask, Few:
		name, class = "ask", "worker"
	case Self:
		name, class = "self", "leader"
	}
	f.asked = e.Peers(f.asked[:0], class)
	missing := f.s.c.Program.Missing
	if f.s.steps[k].Kind == Few && len(f.asked) > 1 {
		f.asked, missing = f.asked[1:], max(missing-1, 0)
	}
	f.sends(e, fmt.Sprint(name, k))
	if class == "worker" {
		e.Expect(&f.Frame, f.s.cuts[k], f.asked, max(len(f.asked)-missing, 1), 0, f.s.c.Program.Within)
	}
}

// sends sends the value to the asked peers, and records that.
func (f *chain) sends(n *runtime.Engine, edge string) {
	e, to := f.s.names[edge], f.asked
	for _, id := range to {
		f.sent(e, id)
	}
	if f.round()%2 == 0 { // alternates between the two ways to send a value
		n.SendKept(&f.Frame, e, to, f.x.Memory(), tensor.Raw(f.x.Data), uint64(f.x.Len()))
	} else {
		n.Send(&f.Frame, e, to, tensor.Raw(f.x.Data), uint64(f.x.Len()))
	}
}

func (f *chain) sent(edge int, to wire.PeerID) {
	if !f.s.deeds.add(deed{sent, uint32(edge), uint32(indexOf(to)), f.Exec()}) {
		f.wrong("edge %d is sent on twice", edge)
	}
}

// ends computes the value after a step.
func (f *chain) ends(e *runtime.Engine, k int) error {
	cut := f.s.cuts[k]
	switch kind := f.s.steps[k].Kind; kind {
	case Work, Other, Either:
		f.x.Share(worked(f.x, f.s.rank, k))
	case Ask, Few:
		f.gathered(e, k)
	case Visit, Far, Self:
		f.came(cut, kind)
	case Feed:
		f.x.Share(fed(f.x))
	case Sleep:
		f.draws(e)
	}
	return nil
}

// draws draws a random number and a tag, which must be unique.
func (f *chain) draws(e *runtime.Engine) {
	f.drawn(drew, e.RngU64())
	f.drawn(tagged, e.CorrelateTag())
}

func (f *chain) drawn(w what, v uint64) {
	if !f.s.deeds.add(deed{what: w, where: uint32(v), peer: uint32(v >> 32)}) {
		f.wrong("number %x is drawn twice", v)
	}
}

// came takes an answer.
func (f *chain) came(cut int, kind Kind) {
	from := relay
	switch kind {
	case Far:
		from = end
	case Self:
		from = leader
	}
	if got := indexOf(f.Sender(cut)); got != from {
		f.wrong("an answer of node %d, want one of node %d", got, from)
	}
	f.check("an answer", f.y.Data)
	f.x.Share(f.y)
}

// check checks that a value belongs to the lane and round of the frame.
func (f *chain) check(what string, x []float64) {
	if len(x) != f.x.Len() || x[0] != f.x.Data[0] || x[1] != f.x.Data[1] {
		f.wrong("%s of %d elements that begins with %v, want %d with %v", what, len(x), x[:min(2, len(x))], f.x.Len(), f.x.Data[:2])
	}
}

// gathered mixes the answers of workers, in the order of their ranks.
func (f *chain) gathered(e *runtime.Engine, k int) {
	mask, last := uint64(0), -1
	var list []contribution
	for _, b := range e.Gathered(&f.Frame, f.s.cuts[k]) {
		a := b.(*answer)
		i := indexOf(a.From())
		_, rank := f.s.c.class(i)
		if !slices.Contains(f.asked, a.From()) {
			f.wrong("node %d contributes, and was not asked", i)
		}
		if rank <= last {
			f.wrong("rank %d contributes after %d", rank, last)
		}
		last = rank
		mask |= 1 << rank
		if a.x.Len() != f.s.c.Program.Size {
			f.wrong("rank %d contributes %d elements", rank, a.x.Len())
		}
		if f.s.c.isInsider(i) {
			continue
		}
		x, err := a.x.Whole(&a.whole)
		if err != nil {
			f.wrong("contribution of %d: %v", rank, err)
			continue
		}
		f.check("a contribution", x.Data)
		list = append(list, contribution{rank, x.Data})
	}
	if got := bits.OnesCount64(mask); got < len(f.asked)-f.s.c.Program.Missing || got == 0 {
		f.wrong("%d contributions of %d workers, want all but %d", got, len(f.asked), f.s.c.Program.Missing)
	}
	f.masks = append(f.masks, float64(mask))
	f.x.Share(mixed(f.x, list))
}

// last sends the result, or begins the next round with it.
func (f *chain) last(e *runtime.Engine) error {
	switch {
	case f.s.reply != "":
		f.asked = f.asked[:0]
		switch {
		case f.s.reply[:2] == "on":
			f.asked = e.Peers(f.asked, "end")
		case f.s.name[:2] == "on":
			f.asked = e.Peers(f.asked, "leader")
		default:
			f.asked = append(f.asked, f.Sender(0))
		}
		f.sends(e, f.s.reply)
		return nil
	case f.s.name != "round":
		return nil
	}
	out := []float64{float64(f.lane()), float64(f.round()), float64(len(f.masks))}
	out = append(append(append(out, f.masks...), f.in.Data...), f.x.Data...)
	e.Emit(&f.Frame, "out", tensor.Of(out, len(out)))
	return f.next(e, f.x, f.round()+1)
}

// next begins a round, if there is one left.
func (f *chain) next(e *runtime.Engine, x tensor.Dense[float64], round int) error {
	if round >= f.s.c.Program.Rounds {
		return nil
	}
	next := x.Clone()
	next.Data[1] = float64(round)
	_, err := e.Begin(&f.Frame, f.s.module, next.Lend())
	return err
}

// again continues after a round without a quorum.
func (f *chain) again(e *runtime.Engine) error {
	if f.s.c.Program.Short != runtime.ShortSkips {
		return f.next(e, f.in, f.round())
	}
	f.s.skips(f.lane(), f.round())
	return f.next(e, f.in, f.round()+1)
}

// Round returns the number of the round.
func (f *chain) Round() int64 { return int64(f.round()) }

// Task is a command.
func (f *chain) Task(cut int) runtime.Task {
	slot := f.s.Modules[f.s.module].Cuts[cut].Slot
	f.tasks[slot] = task{f, slot}
	return &f.tasks[slot]
}

// Fill takes a value.
func (f *chain) Fill(cut int, fill *wire.SlotFill) error {
	x := &f.x
	if cut > 0 {
		x = &f.y
	}
	if err := f.s.take(f.Exec(), f.Sender(cut), fill); err != nil {
		return err
	}
	return values.TakeDense(x, fill, values.Open)
}

// take records that a fill was taken.
func (p *part) take(x wire.ExecID, from wire.PeerID, fill *wire.SlotFill) error {
	if len(fill.Dims) != 1 || fill.Dims[0] != uint64(p.c.Program.Size) {
		return fmt.Errorf("%d elements, want %d", fill.Dims, p.c.Program.Size)
	}
	id, _ := wire.ConsumeSite(fill.Suffix)
	e := p.edgeOf(id)
	if err := p.mayTake(x, indexOf(from), p.Edges[e].Name); err != nil {
		p.wrong(err)
	}
	if !p.deeds.add(deed{took, uint32(e), uint32(indexOf(from)), x}) {
		p.wrong(fmt.Errorf("%s of %v from node %d is taken twice", p.Edges[e].Name, x, indexOf(from)))
	}
	return nil
}

// mayTake returns an error if a fill should have been refused.
func (p *part) mayTake(x wire.ExecID, from int, edge string) error {
	switch origin := indexOf(x.Origin); {
	case p.boots && p.c.Limits.Chunk+int(p.c.World.Spool) == 0: // otherwise a value that was announced before may arrive now
		return fmt.Errorf("%s of node %d is taken while the bootstrap runs again", edge, from)
	case p.Edges[p.names[edge]].From != p.c.className(from):
		return fmt.Errorf("%s of node %d is taken, a %s", edge, from, p.c.className(from))
	case p.blocksLast && p.index == leader && from == p.c.peers()-1:
		return fmt.Errorf("%s of node %d is taken, which is blocked", edge, from)
	case origin == p.index && p.c.isInsider(from) && strings.HasPrefix(edge, "tell"): // it may name an execution of a clock
	case origin == p.index:
		done, _ := p.deeds.has(deed{what: begun, exec: x})
		if !done {
			return fmt.Errorf("%s of %v from node %d is taken, and no peer has begun that execution", edge, x, from)
		}
	case origin != from && !(origin == leader && from == relay):
		return fmt.Errorf("%s of an execution of node %d is taken from node %d", edge, origin, from)
	}
	return nil
}

func (p *part) edgeOf(id wire.EdgeID) int {
	for i := range p.Edges {
		if p.Edges[i].ID == id {
			return i
		}
	}
	return -1
}

// Input takes the initial value of a round.
func (f *chain) Input(_ int, v tensor.Value) error {
	if err := values.SetDense(&f.x, v, values.Open); err != nil {
		return err
	}
	f.in.Set(f.x)
	f.s.deeds.add(deed{what: begun, exec: f.Exec()})
	return nil
}

// Clear clears the frame.
func (f *chain) Clear() {
	f.x.Reset()
	f.in.Reset()
	f.y.Reset()
	f.masks, f.asked = f.masks[:0], f.asked[:0]
}

// AppendBinary appends the fields that later blocks need.
func (f *chain) AppendBinary(b []byte) ([]byte, error) {
	b = values.KeepDense(f.Keeper(), b, f.x)
	b = values.KeepDense(f.Keeper(), b, f.in)
	b = values.KeepDense(f.Keeper(), b, f.y)
	b = values.AppendDense(b, tensor.DenseOf(f.masks, len(f.masks)))
	return values.AppendPeers(b, f.asked), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (f *chain) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	values.ReadKept(f.Keeper(), r, &f.x)
	values.ReadKept(f.Keeper(), r, &f.in)
	values.ReadKept(f.Keeper(), r, &f.y)
	var masks tensor.Dense[float64]
	values.ReadDense(r, &masks)
	f.masks = append(f.masks[:0], masks.Data...)
	r.Peers(&f.asked)
	return r.End()
}
