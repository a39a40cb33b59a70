package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// An envelope without an execution belongs to the one that its request names. It counts once, and the envelopes for such a
// peer are dropped when they have gone out.
func TestUnnumbered(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	if err := r.hello(2, func(*wire.Hello) {}); err != nil {
		t.Fatal(err)
	}
	ask := func(c wire.Correlation) {
		e := wire.Envelope{Request: c, Fills: []wire.SlotFill{{Suffix: wire.AppendSite(nil, 1), Type: 1, Payload: []byte{1}}}}
		if err := r.n.Deliver(r.n.Now(), testPeer(2), wire.AppendEnvelope(nil, &e)); err != nil {
			t.Fatal(err)
		}
		r.poll()
	}
	ask(wire.Correlation{Kind: wire.Request, ID: 7})
	ask(wire.Correlation{Kind: wire.Request, ID: 7})
	if s := r.n.Stats(); s.Fills != 1 || s.Duplicates+s.Late != 1 || s.Refused != 0 {
		t.Errorf("a request and the same one again: %+v", s)
	}
	p := r.n.peer(testPeer(2))
	x := wire.ExecID{Origin: p.id, Incarnation: p.incarnation, Number: 7}
	if c := p.answers(x); c != (wire.Correlation{Kind: wire.Response, ID: 7}) {
		t.Errorf("the answer is %+v", c)
	}
	if x.Incarnation++; p.answers(x) != (wire.Correlation{}) || p.answers(wire.ExecID{Origin: r.n.Self(), Number: 7}) != (wire.Correlation{}) {
		t.Error("an envelope of another execution answers the request")
	}
	for _, c := range []wire.Correlation{{}, {Kind: wire.Request}, {Kind: wire.Response, ID: 8}} {
		r.events = nil
		if ask(c); !errors.Is(r.event(Refused), ErrNoExec) {
			t.Errorf("%+v: %v", c, r.event(Refused))
		}
		if err := r.hello(2, func(*wire.Hello) {}); err != nil && !errors.Is(err, ErrIgnored) {
			t.Fatal(err)
		}
	}
}

// A peer is recorded at the places that it names last. Names of values and other peers are none.
func TestLearn(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	id := testPeer(2)
	if err := r.n.InsertAddress(id, "/ip4/192.0.2.1/tcp/1"); err != nil {
		t.Fatal(err)
	}
	say := func(list ...wire.Address) []wire.Address {
		r.n.peer(id).learn(list, &r.n.limits.Wire)
		return r.n.Address(id)
	}
	at := wire.Address("/dns/a.example/tcp/4001/p2p/" + id.String())
	none := []wire.Address{"/p2p/" + wire.Address(id.String()), at + "/site/7", "/ip4/192.0.2.1/tcp/2/p2p/" + wire.Address(testPeer(3).String()), "/ip4/192.0.2.1/tcp/2/p2p/other"}
	if got := say(append(none, "/ip4/192.0.2.1/tcp/1", at, at)...); !slices.Equal(got, []wire.Address{"/ip4/192.0.2.1/tcp/1", at}) {
		t.Errorf("learned %v", got)
	}
	if got := say(none...); len(got) != 2 {
		t.Errorf("what is no place has replaced one: %v", got)
	}
	var many []wire.Address
	for i := range 20 {
		many = append(many, wire.Address("/ip6/2001:db8::1/tcp/"+string(rune('a'+i))))
	}
	if got := say(many...); len(got) != 1+r.n.limits.Wire.Addresses || slices.Contains(got, at) {
		t.Errorf("learned %v", got)
	}
	if got, err := r.n.LookupAddress(id); err != nil || got != "/ip4/192.0.2.1/tcp/1" {
		t.Errorf("the program gets %q, %v", got, err)
	}
	if err := r.n.InsertAddress(id, string(many[0])); err != nil || len(r.n.Address(id)) != 1+r.n.limits.Wire.Addresses {
		t.Errorf("%v; an address is there twice: %v", err, r.n.Address(id))
	}
}

// Components notify only while a block runs, under topics that hosts can tell from others, with values within the limit.
func TestNotify(t *testing.T) {
	r := newRig(t, func(l *limits.Limits) { l.Wire.Fill = 64 })
	if err := r.n.Notify("a", nil); err == nil {
		t.Error("a component notifies when none runs")
	}
	r.n.running = &Frame{module: &r.n.modules[0]}
	for _, topic := range []string{"", LoopDone, LoopBegun, "a.b", "a b", "a\x00", string(make([]byte, MaxTopic+1))} {
		if err := r.n.Notify(topic, nil); err == nil {
			t.Errorf("%q is a topic", topic)
		}
	}
	x := tensor.Of([]float64{1, 2}, 2)
	if err := r.n.Notify("seen", x); err != nil {
		t.Fatal(err)
	}
	x.Data.([]float64)[0] = 9
	for _, large := range []*tensor.Tensor{tensor.Of(make([]float64, 9), 9), tensor.Of([]string{"a", "b", "c", string(make([]byte, 14))}, 4)} {
		if err := r.n.Notify("large", large); err == nil {
			t.Errorf("%v is within 64 bytes", large)
		}
	}
	r.n.running = nil
	r.poll()
	if e := r.last(Published); e.Name != "seen" || e.Module != r.n.modules[0].Name || !tensor.Equal(e.Value.(*tensor.Tensor), tensor.Of([]float64{1, 2}, 2)) {
		t.Errorf("the host gets %+v", e)
	}
}

// last returns the last event of a kind.
func (r *rig) last(kind EventKind) (last Event) {
	for _, e := range r.events {
		if e.Kind == kind {
			last = e
		}
	}
	return last
}
