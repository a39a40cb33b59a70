package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// sends checks an outgoing envelope: its content is true, and durable.
func (w *world) sends(from, to int, number uint64, e *wire.Envelope) {
	if w.torn || w.c.isInsider(from) {
		return
	}
	p := w.part[from]
	for i := range e.Fills {
		id, _ := wire.ConsumeSite(e.Fills[i].Suffix)
		edge := p.edgeOf(id)
		if e.Fills[i].Lost != "" {
			w.loses(from, to, e.Exec)
			continue
		}
		if name := p.Edges[edge].Name; strings.HasPrefix(name, "apart") || strings.HasPrefix(name, "tell") {
			continue // an execution that was not known before
		}
		done, durable := p.deeds.has(deed{sent, uint32(edge), uint32(to), e.Exec})
		switch {
		case !done:
			w.wrong(from, fmt.Errorf("%s of %v goes to node %d, and was never sent", p.Edges[edge].Name, e.Exec, to))
		case !durable && !w.c.isForgetful(from):
			w.wrong(from, fmt.Errorf("%s of %v goes to node %d before it is durable", p.Edges[edge].Name, e.Exec, to))
		}
	}
	if !w.c.isInsider(to) {
		w.acknowledges(channel{from, to, number}, e.Ack)
	}
}

// acknowledges checks that acknowledged messages are durable.
func (w *world) acknowledges(c channel, ack uint64) {
	came := w.came[c]
	for seq := ack; seq > 0; seq-- {
		fills, ok := came[seq]
		if !ok {
			if came[0] == nil || uint64(len(came[0])) < seq {
				w.wrong(c.from, fmt.Errorf("envelope %d of node %d is acknowledged, which never came", seq, c.to))
			}
			return
		}
		for _, d := range fills {
			if w.part[c.from].left[d] {
				w.wrong(c.from, fmt.Errorf("%s of %v from node %d is acknowledged, and was left to the next incarnation", w.part[c.from].Edges[d.where].Name, d.exec, c.to))
			}
			if done, durable := w.part[c.from].deeds.has(d); done && !durable && !w.c.isForgetful(c.from) {
				w.wrong(c.from, fmt.Errorf("%s of %v from node %d is acknowledged before it is durable", w.part[c.from].Edges[d.where].Name, d.exec, c.to))
			}
		}
		came[0] = append(came[0], deed{})
		delete(came, seq)
	}
}

// delivered records a received envelope.
func (w *world) delivered(from, to int, number uint64, e *wire.Envelope) {
	if e.Seq == 0 {
		return
	}
	k := channel{to, from, number}
	if w.came[k] == nil {
		w.came[k] = map[uint64][]deed{}
	}
	if uint64(len(w.came[k][0])) >= e.Seq {
		return // it was acknowledged before
	}
	if _, twice := w.came[k][e.Seq]; !twice {
		w.heard[w.net.Node(to)]++
	}
	if w.came[k][e.Seq] = nil; w.c.isInsider(from) {
		return
	}
	var fills []deed
	for i := range e.Fills {
		id, _ := wire.ConsumeSite(e.Fills[i].Suffix)
		fills = append(fills, deed{took, uint32(w.part[to].edgeOf(id)), uint32(from), e.Exec})
	}
	w.came[k][e.Seq] = fills
}

// saved records that the actions of a peer are durable.
func (w *world) saved(i int) { w.part[i].deeds.safe = w.part[i].deeds.taken }

// runs checks that the commands of a slot run one at a time.
func (w *world) runs(i int, t runtime.Task, ended bool) {
	k := [2]int{i, t.(*task).slot}
	n := w.net.Node(i)
	switch {
	case ended:
		delete(w.slots, k)
	case w.slots[k] == n:
		w.wrong(i, fmt.Errorf("two commands of slot %d run at once", k[1]))
	default:
		w.slots[k] = n
	}
}

// tells handles an event of a peer.
func (w *world) tells(i int, e runtime.Event) {
	if w.log != nil {
		w.log(fmt.Sprintf("%12d node %d tells: %v %s.%s of node %d %d/%d: %v %v", w.net.Now(), i, e.Kind, e.Module, e.Name, indexOf(e.Exec.Origin), e.Exec.Incarnation, e.Exec.Number, indexOf(e.Peer), e.Err))
	}
	if w.c.isInsider(i) || w.torn {
		return
	}
	w.counts(e)
	if e.Kind == runtime.Refused && e.Peer != w.peerID(i) && strings.Contains(e.Err.Error(), "the node is not running") {
		w.seen.saw(leftToNext)
		w.part[i].left[deed{took, uint32(w.part[i].edgeOf(e.Edge)), uint32(indexOf(e.Peer)), e.Exec}] = true
	}
	switch e.Kind {
	case runtime.Emitted:
		w.gives(i, tensor.Data[float64](e.Value.(*tensor.Tensor)))
	case runtime.Failed, runtime.Missing, runtime.Refused, runtime.Overflow:
		if !w.expected(e) {
			w.wrong(i, fmt.Errorf("%v %s.%s of node %d: %v", e.Kind, e.Module, e.Name, indexOf(e.Peer), e.Err))
		}
	}
}

// counts counts an event.
func (w *world) counts(e runtime.Event) {
	if lost := (*runtime.LostError)(nil); errors.As(e.Err, &lost) {
		w.seen.saw(lossTaken)
	}
	switch e.Kind {
	case runtime.Short:
		w.seen.saw(shortRound[w.c.Program.Short])
	case runtime.Refused:
		w.seen.saw(refused)
	case runtime.Late:
		w.seen.saw(late)
	case runtime.Missing:
		w.seen.saw(missing)
	case runtime.Overflow:
		w.seen.saw(overflowed)
	}
}

// expected reports whether an event of failure may occur in a correct system.
func (w *world) expected(e runtime.Event) bool {
	switch {
	case strings.HasPrefix(e.Module, "stray"), w.isPlanned(e):
		return true
	case w.c.Insiders > 0, e.Kind == runtime.Refused && errors.Is(e.Err, runtime.ErrBlocked):
		return true
	case e.Kind == runtime.Failed && strings.HasPrefix(e.Module, "answer") && w.c.isForgetful(indexOf(e.Peer)): // it has lost the request
		return true
	case e.Kind == runtime.Overflow: // it comes again
		return w.c.Limits.Ingress+w.c.Limits.IngressBytes > 0 && (strings.HasPrefix(e.Name, "envelopes that wait for") || e.Name == "ingress")
	case w.c.Program.Short != runtime.ShortFails && e.Kind != runtime.Refused: // it continues without it
		return e.Kind == runtime.Missing || strings.Contains(e.Err.Error(), runtime.ErrQuorum.Error())
	case e.Kind == runtime.Missing: // it still waits for it
		return w.c.Program.Within == 0 || !w.c.exact()
	}
	return e.Kind == runtime.Refused && !w.c.exact()
}

// gives compares the result of a round with the plain computation.
func (w *world) gives(i int, out []float64) {
	c := w.c
	key, masks := [2]int{int(out[0]), int(out[1])}, out[3:3+int(out[2])]
	in, x := out[3+len(masks):][:c.Program.Size], out[3+len(masks)+c.Program.Size:]
	if before, ok := w.told[key]; ok {
		if !slices.Equal(before, out) {
			w.wrong(i, fmt.Errorf("round %d of lane %d gives %v, and gave %v before", key[1], key[0], out, before))
		}
	}
	if want := c.want(tensor.DenseOf(in, len(in)), masks); !slices.Equal(want.Data, x) {
		w.wrong(i, fmt.Errorf("round %d of lane %d gives %v, want %v", key[1], key[0], x, want.Data))
	}
	if c.exact() {
		w.exact(i, key, in, masks)
	}
	w.told[key] = slices.Clone(out)
}

// exact checks that a round begins with the result of the previous one, and all workers take part in it.
func (w *world) exact(i int, key [2]int, in, masks []float64) {
	x := w.c.first(key[0])
	all := w.c.everybody()
	for range key[1] {
		x = w.c.want(x, all)
		x.Data[1]++
	}
	known := w.c.Program.Short != runtime.ShortSkips // which rounds were not skipped
	if known && !slices.Equal(x.Data, in) || !slices.Equal(masks, all) {
		w.wrong(i, fmt.Errorf("round %d of lane %d begins with %v and hears %v, want %v and %v", key[1], key[0], in, masks, x.Data, all))
	}
}

// everybody returns the participants of each question of a round in which all take part.
func (c *Case) everybody() (masks []float64) {
	for _, s := range c.Program.Steps {
		all := uint64(1)<<c.Program.Workers - 1
		if s.Kind == Few && all > 1 {
			all--
		}
		if s.Kind == Ask || s.Kind == Few {
			masks = append(masks, float64(all))
		}
	}
	return masks
}

// acknowledged reports whether all messages are acknowledged at the end: no peer is blocked, has left or lies
// about it.
func (c *Case) acknowledged() bool {
	return c.Insiders == 0 && c.Blocked == 0 && !slices.ContainsFunc(c.World.Faults, func(f mem.Fault) bool { return f.Kind == mem.Leave })
}

// repeats reports whether a round may be repeated or skipped: then the number of unanswered messages is
// unknown.
func (c *Case) repeats() bool { return c.Program.Short != runtime.ShortFails || c.isForgetful(leader) }

// bounded checks that tables stay within their limits.
func (w *world) bounded() {
	for i := range w.c.peers() {
		n := w.net.Node(i)
		if n == nil {
			continue
		}
		if s := n.Stats(); s.Live > w.limits.Executions || s.Outbound > w.limits.Outbound {
			w.wrong(i, fmt.Errorf("%d executions and %d envelopes, want at most %d and %d", s.Live, s.Outbound, w.limits.Executions, w.limits.Outbound))
		}
		if s := n.Stats(); s.Envelopes > w.heard[n] && !w.c.has(Self) {
			w.wrong(i, fmt.Errorf("%d envelopes are taken, and %d have come", s.Envelopes, w.heard[n]))
		}
		if _, err := w.net.Spooled(i); err != nil {
			w.wrong(i, err)
		}
	}
}

// end checks the final state.
func (w *world) end() {
	w.mentioned()
	w.enclosed()
	if !w.c.acknowledged() {
		return // messages may be in transit for ever
	}
	for i := range w.c.peers() {
		if shares, _ := w.net.Spooled(i); shares != 0 {
			w.wrong(i, fmt.Errorf("there are %d shares in spooled values, and nothing is left to do", shares))
		}
		for other := range w.c.peers() {
			if n := w.net.Node(i).Unacknowledged(w.peerID(other)); n != 0 {
				w.wrong(i, fmt.Errorf("%d bytes are kept for node %d, and nothing is left to do", n, other))
			}
		}
	}
	for k, s := range w.c.Program.Steps {
		if (s.Kind == Apart || s.Kind == Stray) && !w.c.repeats() {
			w.noted(map[Kind]what{Apart: both, Stray: took}[s.Kind], fmt.Sprint(map[Kind]string{Apart: "apart", Stray: "stray"}[s.Kind], k))
		}
	}
}

// noted checks that the relay has received a message of each round.
func (w *world) noted(how what, edge string) {
	if got, want := w.part[relay].deeds.count(how, w.part[relay].names[edge], leader), w.c.Program.Lanes*w.c.Program.Rounds; got != want {
		w.wrong(relay, fmt.Errorf("%s was heard %d times, want %d", edge, got, want))
	}
}

// mentioned checks that the relay has received the messages of honest workers, whatever insiders send.
func (w *world) mentioned() {
	r := w.part[relay]
	for k, s := range w.c.Program.Steps {
		if s.Kind != Ask && s.Kind != Few {
			continue
		}
		edge := r.names[fmt.Sprint("tell", k)]
		for i := firstWorker; i < w.c.peers(); i++ {
			if w.c.isInsider(i) || w.c.isBlocked(i) || w.net.Node(i) == nil {
				continue
			}
			want, got := w.part[i].deeds.count(sent, edge, relay), r.deeds.count(took, edge, i)
			if got < want || got > want && !w.c.isForgetful(i) {
				w.wrong(relay, fmt.Errorf("%s of node %d was heard %d times, want %d", r.Edges[edge].Name, i, got, want))
			}
		}
	}
}
