package collective

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// signer is a group of four that signs, as a rank of it, whose epoch ends as rank 3 is lost.
func signer(t *testing.T, rank int) *Group {
	g, err := New(Config{Self: rank, Ranks: 4, Streams: sum32, IfLost: Repeat, Identity: testIdentity(rank)})
	if err != nil {
		t.Fatal(err)
	}
	g.Down(3)
	return g
}

// TestSigned: a rank believes a decision, which another one passes on, if each member has signed its report in it for this
// epoch; and a report if its sender has.
func TestSigned(t *testing.T) {
	reports := func() []*report {
		list := make([]*report, 4)
		for r := range 3 {
			g := signer(t, r)
			list[r] = g.heard[r]
		}
		return list
	}
	for name, c := range map[string]struct {
		alter func(list []*report, g *Group)
		want  string
	}{
		"as they are":     {func([]*report, *Group) {}, ""},
		"without a name":  {func(list []*report, _ *Group) { list[2].signature = nil }, "a report that rank 2 has not signed"},
		"with another":    {func(list []*report, _ *Group) { list[2].signature = list[1].signature }, "a report that rank 2 has not signed"},
		"changed":         {func(list []*report, _ *Group) { list[2].streams[0].done++ }, "a report that rank 2 has not signed"},
		"of the receiver": {func(list []*report, _ *Group) { list[0].streams[0].done++ }, "a report that rank 0 has not signed"},
		"of another epoch": {func(list []*report, _ *Group) {
			g := signer(t, 2)
			g.epoch.View++
			list[2] = g.report(slices.Clone(g.lost))
		}, "a report that rank 2 has not signed"},
		"too long": {func(list []*report, _ *Group) { list[2].signature = make([]byte, maxSignature+1) }, "that is none"},
	} {
		g, list := signer(t, 0), reports()
		c.alter(list, g)
		d := &decision{lost: list[2].lost, joins: list[2].joins, reports: list}
		before := g.Epoch()
		err := g.Receive(1, &Message{Type: Decided, Epoch: before, Data: d.append(nil)})
		switch rank, named := errors.AsType[*RankError](err); {
		case c.want == "" && (err != nil || g.Epoch().Number != before.Number+1):
			t.Errorf("reports %s: %v, epoch %v", name, err, g.Epoch())
		case c.want != "" && (!named || rank.Rank != 1 || !strings.Contains(err.Error(), c.want) || g.Epoch() != before):
			t.Errorf("reports %s: %v, epoch %v, want an error of rank 1 with %q", name, err, g.Epoch(), c.want)
		}
		r := list[2]
		err = signer(t, 0).Receive(2, &Message{Type: Lost, Epoch: before, Data: r.appendSigned(nil)})
		if refuses := c.want != "" && name != "of the receiver"; refuses != errors.Is(err, ErrMessage) {
			t.Errorf("the report of rank 2 %s: %v", name, err)
		}
	}
}

// TestSignaturesAreKept: a rank that restarts while the epoch ends, and after it, passes on what others have signed.
func TestSignaturesAreKept(t *testing.T) {
	g := signer(t, 0)
	for r := 1; r < 3; r++ {
		restored, err := New(g.config)
		if err != nil {
			t.Fatal(err)
		}
		state, err := g.AppendBinary(nil)
		if err == nil {
			err = restored.UnmarshalBinary(state)
		}
		if err != nil {
			t.Fatal(err)
		}
		g = restored
		receiveReport(t, g, r, signer(t, r).heard[r])
	}
	if g.last == nil {
		t.Fatal("the epoch has not ended")
	}
	behind := signer(t, 2)
	if err := behind.Receive(0, &Message{Type: Decided, Epoch: g.last.epoch, Data: g.last.append(nil)}); err != nil || behind.Epoch() != g.Epoch() {
		t.Errorf("the decision is refused: %v, epoch %v, want %v", err, behind.Epoch(), g.Epoch())
	}

	// A snapshot of an earlier version ends earlier.
	state, err := g.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range earlierEnds(g, state) {
		old, err := New(g.config)
		if err == nil {
			err = old.UnmarshalBinary(state[:end])
		}
		if err != nil || old.Epoch() != g.Epoch() {
			t.Errorf("a snapshot of an earlier version: %v, epoch %v", err, old.Epoch())
		}
	}
}
