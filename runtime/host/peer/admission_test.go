package peer

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A host answers each stream that it does not accept with the reason, and closes it.
func TestStreamsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		_, ping := newKeyFile(t, "ping", 0)
		_, other := newKeyFile(t, "ping", 1)
		x := n.run(t, handmade.Pong(), []trust.Member{ping}, "-listen", string(lanAddress(1)))
		member := n.newStranger(t, ping.ID, "ping", handmade.Ping(1))
		nobody := n.newStranger(t, other.ID, "ping", handmade.Ping(1))
		for name, c := range map[string]struct {
			from   *stranger
			p      Protocol
			change func(*wire.Hello)
			want   string
		}{
			"a stranger":                    {nobody, EnvelopeStream, nil, "invite it, or name it in -peers"},
			"an unknown purpose":            {member, "/bbgen/music/1", nil, "/bbgen/music/1"},
			"bulk of no connection":         {member, BulkStream, nil, runtime.ErrProtocol.Error()},
			"a parallel stream of nothing":  {member, ParallelStream, func(h *wire.Hello) { h.Conversation, h.Stream = 7, 1 }, "a parallel stream of no connection"},
			"another program":               {member, EnvelopeStream, func(h *wire.Hello) { h.Fingerprint = []byte("other") }, runtime.ErrProgram.Error()},
			"another class":                 {member, EnvelopeStream, func(h *wire.Hello) { h.Classes = []string{"pong"} }, runtime.ErrClass.Error()},
			"an invitation of nobody":       {nobody, EnvelopeStream, func(h *wire.Hello) { h.JoinProof = make([]byte, 64) }, trust.ErrInvitation.Error()},
			"only a question of a stranger": {nobody, EnvelopeStream, func(h *wire.Hello) { h.Incarnation = 0 }, "invite it"},
			"a question of another program": {member, EnvelopeStream, func(h *wire.Hello) { h.Incarnation, h.Fingerprint = 0, []byte("other") }, runtime.ErrProgram.Error()},
		} {
			s := *c.from
			if c.change != nil {
				c.change(&s.hello)
			}
			in := s.dial(lanAddress(1), c.p)
			if got := in.hearHello(t).Refusal; !strings.Contains(got, c.want) {
				t.Errorf("%s: it hears %q, want %s", name, got, c.want)
			}
			if d := in.ended(); d > time.Second {
				t.Errorf("%s: the stream stays open for %v", name, d)
			}
		}
		synctest.Wait()
		if up := x.events.lines(t, "peer up"); up != nil {
			t.Errorf("peers have come up: %+v", up)
		}
		// A peer that only asks whether it would be admitted is told so, and is not connected.
		asks := *member
		asks.hello.Incarnation = 0
		in := asks.dial(lanAddress(1), EnvelopeStream)
		if hello := in.hearHello(t); hello.Refusal != "" || hello.Classes[0] != "pong" {
			t.Errorf("a peer that asks hears %+v", hello)
		}
		if in.ended(); x.events.lines(t, "peer up") != nil {
			t.Error("a peer that only asks is connected")
		}
	})
}

// With -trust-first the key of the peer that answers is recorded, unless it cannot be one of the program; what is
// wrong is logged once for each reason, until another one answers.
func TestTrustFirstWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		state := filepath.Join(t.TempDir(), "state")
		p := Program{Name: "test", Class: "ping", Classes: []string{"ping", "pong"}, Fingerprint: handmade.Ping(1).Fingerprint, Transport: n.transport,
			Partition: func(runtime.Env) (*runtime.Partition, error) { return handmade.Ping(1), nil }}
		x, err := n.runProgram(t, p, nil, "-state", state, "-join", string(lanAddress(1)), "-trust-first")
		if err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		var at lanEndOf
		for _, classes := range [][]string{nil, {"gong"}} {
			at.replace(t, n, classes)
			pass(time.Minute)
		}
		at.Close()
		for _, want := range []string{errNobody.Error(), runtime.ErrClass.Error(), `the program has no class \"gong\"`} {
			count := 0
			for _, line := range x.logged("no peer to trust yet") {
				if strings.Contains(line, want) {
					count++
				}
			}
			if count < 1 || count > 2 { // nobody listens twice
				t.Errorf("the log says %d times %s, want once for each time", count, want)
			}
		}
		if list := x.h.members.List(); len(list) != 0 {
			t.Errorf("it has recorded %+v", list)
		}

		key, pong := newKeyFile(t, "pong", 0)
		ownID := x.h.config.Self
		n.run(t, handmade.Pong(), []trust.Member{{ID: ownID, Class: "ping"}}, "-key", key, "-listen", string(lanAddress(1)))
		pass(2 * time.Second)
		if list := x.h.members.List(); len(list) != 1 || list[0].ID != pong.ID || list[0].Class != "pong" {
			t.Errorf("it has recorded %+v, want the peer that answered", list)
		}
		if len(x.logged("trusted because it answered first")) != 1 || len(x.events.lines(t, "peer up")) != 1 {
			t.Errorf("the peer is not taken in: %s", &x.log)
		}
		if err := x.end(); err != nil {
			t.Error(err)
		}
		// After that the address belongs to the key.
		again, err := n.runProgram(t, p, nil, "-state", state, "-join", string(lanAddress(1)), "-trust-first")
		if err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second)
		if again.h.strangers != nil || len(again.events.lines(t, "peer up")) != 1 {
			t.Errorf("the next start meets %v as strangers", again.h.strangers)
		}
	})
}

// lanEndOf is a peer of a class that replaces an earlier one at an address.
type lanEndOf struct{ *stranger }

func (x *lanEndOf) replace(t *testing.T, n *lan, classes []string) {
	if x.stranger != nil {
		x.Close()
	}
	_, m := newKeyFile(t, "pong", 0)
	x.stranger = n.newStranger(t, m.ID, "pong", handmade.Pong(), lanAddress(1))
	hello := x.hello
	hello.Classes = classes
	x.serve(func(c *conversationWith) {
		c.hear()
		c.say(connection.AppendHello(hello))
		c.ended()
	})
}

// An invitation lets one peer in, before it expires. A peer whose invitation is refused for good ends; one that is
// refused for another reason tries again.
func TestInvitationEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		state := filepath.Join(t.TempDir(), "state")
		n.run(t, handmade.Pong(), nil, "-state", state, "-listen", string(lanAddress(1)))
		pass(time.Second)
		invite := func(valid time.Duration) string {
			token, err := trust.MakeToken(state, "ping", -1, time.Now().Add(valid), nil)
			if err != nil {
				t.Fatal(err)
			}
			return token.String()
		}
		late, used := invite(time.Hour), invite(24*time.Hour)
		first := n.run(t, handmade.Ping(1), nil, "-join", used)
		pass(2 * time.Hour)
		if up := first.events.lines(t, "peer up"); len(up) != 1 {
			t.Errorf("the invited peer has seen the issuer come up %d times", len(up))
		}
		for token, want := range map[string]string{late: "expired", used: "used"} {
			x := n.run(t, handmade.Ping(1), nil, "-join", token)
			pass(time.Minute)
			select {
			case <-x.ended:
				if !errors.Is(x.err, ErrRefused) || !strings.HasPrefix(x.err.Error(), "-join: ") || !strings.Contains(x.err.Error(), want) {
					t.Errorf("it ends with %v, want %s", x.err, want)
				}
			default:
				t.Errorf("a peer whose invitation is %s tries for ever", want)
			}
		}
	})
}

// A peer of several classes that is trusted on first contact has all of them, as with an invitation.
func TestFirstMet(t *testing.T) {
	if m := firstMet(testID(2), []string{"server", "client"}, "/dns/a/tcp/1"); m.Class != "client+server" {
		t.Errorf("it is taken in as %s", m.Class)
	}
}

// An address whose peer was trusted by an earlier start belongs to that peer from then on: another key at that
// address is refused.
func TestPinned(t *testing.T) {
	h := &host{options: &Options{TrustFirst: true}, Shared: connection.Shared{Limits: limits.Default()}}
	var err error
	if h.members, err = trust.NewMembers(testID(1), nil, disk.OS, "", &h.Limits.Wire); err != nil {
		t.Fatal(err)
	}
	join := func(at string, strangers int) {
		t.Helper()
		if err := h.joinAddress(at); err != nil || len(h.strangers) != strangers {
			t.Errorf("%s: %v, %d addresses of strangers; want %d", at, err, len(h.strangers), strangers)
		}
	}
	join("127.0.0.1:4001", 1)
	if err := h.members.Add(firstMet(testID(2), []string{"server"}, h.strangers[0])); err != nil {
		t.Fatal(err)
	}
	join("127.0.0.1:4001", 1)
	join("127.0.0.1:4002", 2)
}

// A peer that is refused for running another program gets the whole reason; a longer reason is marked as
// truncated.
func TestRefusal(t *testing.T) {
	var h wire.Hello
	part := &runtime.Partition{Class: "x", Fingerprint: bytes.Repeat([]byte{1}, 32)}
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1, Peers: []runtime.PeerConfig{{ID: testID(2), Class: "x"}}}, part)
	if err != nil {
		t.Fatal(err)
	}
	h.Protocol, h.Fingerprint, h.Incarnation = wire.Protocol, bytes.Repeat([]byte{2}, 32), 1
	most := limits.Default().Wire.Name
	err = n.Check(testID(2), &h)
	if got := refusal(testID(2), err, most); !strings.HasSuffix(got, "or start the newer with -accept") || strings.Contains(got, testID(2).String()) {
		t.Errorf("it hears %q of %v", got, err)
	}
	if got := refusal(testID(2), errors.New(strings.Repeat("long ", most)), most); len(got) > most || !strings.HasSuffix(got, " …") {
		t.Errorf("it hears %q", got)
	}
}
