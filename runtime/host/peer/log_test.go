package peer

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestEventTexts shows an event of the node where it is told: as a line of the log, as a line of -events and on the
// page. "" means that it is not told there.
func TestEventTexts(t *testing.T) {
	own, theirs := wire.ExecID{Origin: testID(1), Number: 7}, wire.ExecID{Origin: testID(2), Number: 8}
	lost := errors.New("the line is cut")
	for _, c := range []struct {
		e               runtime.Event
		dropped         uint64
		log, line, page string
	}{
		{runtime.Event{Kind: runtime.Phase, Name: "running"}, 0,
			"level=INFO msg=phase name=running", `"kind":"phase","name":"running"`, "phase, running"},
		{runtime.Event{Kind: runtime.PeerUp, Peer: testID(2)}, 0,
			`level=INFO msg="peer up" from=client-4`, `"kind":"peer up","from":"client-4"`, "peer up: client-4"},
		{runtime.Event{Kind: runtime.PeerDown, Peer: testID(2), Err: lost}, 0,
			`level=WARN msg="peer down" from=client-4 err="the line is cut"`, `"kind":"peer down","from":"client-4","error":"the line is cut"`, "peer down: client-4: the line is cut"},
		{runtime.Event{Kind: runtime.PeerDown, Peer: testID(3), Err: ErrRefused}, 0,
			`level=WARN msg="peer down" from=client-5 err="the peer refuses"`, `"error":"the peer refuses"`, "peer down: client-5: the peer refuses"},
		{runtime.Event{Kind: runtime.PeerDown, Peer: testID(3), Err: lost}, 0, // it has never been connected
			`level=INFO msg="peer down" from=client-5 err="the line is cut"`, `"from":"client-5"`, "peer down: client-5: the line is cut"},
		{runtime.Event{Kind: runtime.Missing, Module: "m", Name: "u", Peer: testID(2), Exec: own}, 3,
			`level=WARN msg=missing module=m name=u from=client-4 execution=7 "left out"=3`, `"kind":"missing","from":"client-4","name":"m.u","round":7,"dropped":3`, "missing: client-4, m.u, execution 7 of x-0 (3 like it were left out)"},
		{runtime.Event{Kind: runtime.Failed, Module: "m", Exec: theirs, Err: lost}, 0,
			`level=ERROR msg=failed module=m execution=8 err="the line is cut"`, `"name":"m","round":8,"error":"the line is cut"`, "failed, m, execution 8 of client-4: the line is cut"},
		{runtime.Event{Kind: runtime.Finished, Module: "m", Exec: own}, 0, "", `"kind":"finished","name":"m","round":7`, ""},
		{runtime.Event{Kind: runtime.Emitted, Name: "y", Exec: own, Value: tensor.Of([]float32{1, 2}, 2)}, 0, "", `"kind":"emitted","name":"y","round":7,"value":[1,2]`, ""},
		{runtime.Event{Kind: runtime.Refused, Peer: testID(9), Err: lost}, 0, // of a peer that is not known
			"level=WARN msg=refused from=" + testID(9).String(), `"from":"` + testID(9).String(), "refused: " + testID(9).String() + ": the line is cut"},
	} {
		var log, lines bytes.Buffer
		h := newPagesHost(t)
		h.links[testID(2)].PeerConfig = runtime.PeerConfig{ID: testID(2), Class: "client", Rank: 4}
		h.links[testID(2)].since = time.Now()
		h.linkOf(runtime.PeerConfig{ID: testID(3), Class: "client", Rank: 5})
		h.log, h.history = slog.New(slog.NewTextHandler(&log, nil)), &status.History{}
		h.events = output.NewEvents(&lines, nil, h.log)
		h.logEvent(c.e, c.dropped)
		h.eventLine(c.e, c.dropped)
		h.past(c.e, c.dropped)
		h.events.Flush(time.Minute)
		_, got, _ := strings.Cut(strings.TrimSpace(log.String()), " ")
		if c.log == "" && got != "" || !strings.HasPrefix(got, c.log) {
			t.Errorf("the log says %s, want %s", got, c.log)
		}
		if !strings.Contains(lines.String(), c.line) {
			t.Errorf("the line is %swant %s", &lines, c.line)
		}
		page := ""
		for _, part := range h.report().Page().Parts {
			if part.ID == "events" {
				page = part.HTML
			}
		}
		if c.page == "" && strings.Contains(page, "<tr><td") || !strings.Contains(page, c.page+"\n") && c.page != "" {
			t.Errorf("the page says %s, want %q", page, c.page)
		}
	}
}

// TestLevels: the level of the log decides which events are written, and each kind of event has one.
func TestLevels(t *testing.T) {
	for level, want := range map[string]int{"debug": 3, "info": 2, "": 2, "warn": 1, "error": 0} {
		var b bytes.Buffer
		log, err := newLog(&b, "json", level)
		if err != nil {
			t.Fatal(err)
		}
		h := &host{log: log, Shared: connection.Shared{Ctx: t.Context()}}
		for _, k := range []runtime.EventKind{runtime.Finished, runtime.Phase, runtime.Overflow} {
			h.logEvent(runtime.Event{Kind: k}, 0)
		}
		if got := bytes.Count(b.Bytes(), []byte(`"msg":`)); got != want {
			t.Errorf("-log-level %s: %d lines, want %d: %s", level, got, want, &b)
		}
	}
	if log, err := newLog(io.Discard, "none", "debug"); err != nil || log.Enabled(t.Context(), slog.LevelError) {
		t.Errorf("-log none writes: %v", err)
	}
	for k := runtime.EventKind(0); !strings.HasPrefix(k.String(), "EventKind("); k++ {
		if _, ok := levels[k]; !ok {
			t.Errorf("%v has no level", k)
		}
	}
}

// TestRefusedLog: refusals are logged and told, but a stranger cannot fill the disk with them, nor hide those of
// another one behind its own.
func TestRefusedLog(t *testing.T) {
	var log, lines bytes.Buffer
	h := newPagesHost(t)
	h.log, h.logLimits = slog.New(slog.NewTextHandler(&log, nil)), logLimits{}
	h.events = output.NewEvents(&lines, nil, h.log)
	for range 10 * logBurst {
		h.refused(testID(8), ErrNoHello) // all strangers have one limit
		h.refused(testID(9), ErrNoHello)
	}
	h.refused(testID(2), ErrFlood)
	h.events.Flush(time.Minute)
	if n := strings.Count(lines.String(), testID(8).String()) + strings.Count(lines.String(), testID(9).String()); n < logBurst || n > logBurst+100 {
		t.Errorf("%d lines of strangers, want about %d", n, logBurst)
	}
	if !strings.Contains(lines.String(), ErrFlood.Error()) {
		t.Error("the refusal of a member is not told")
	}
}

// TestJumps: the clock is watched, and a jump is logged once, with its size.
func TestJumps(t *testing.T) {
	var log bytes.Buffer
	h := newPagesHost(t)
	h.log = slog.New(slog.NewTextHandler(&log, nil))
	h.clock = clock{began: time.Now(), ahead: -time.Hour} // the clock was an hour behind
	h.watchClock()
	h.watchClock()
	if got := strings.Count(log.String(), "the clock was set"); got != 1 || !strings.Contains(log.String(), "by=1h0m0") && !strings.Contains(log.String(), "by=59m59.") {
		t.Errorf("the log says %d times %s", got, &log)
	}
}
