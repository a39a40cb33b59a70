package peer

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestProgress shows the log of a program that runs normally: awaited peers, once for each change, rounds,
// counted from 1, and their end.
func TestProgress(t *testing.T) {
	var log bytes.Buffer
	h, err := newTestHost(t, Options{Await: map[string]int{"client": 4}}, &log)
	if err != nil {
		t.Fatal(err)
	}
	log.Reset()
	h.running = true
	h.start()
	h.start()
	h.progress.tellAwaited(h)
	h.history = &status.History{}
	if got := textOf(h.report().Page()); !strings.Contains(got, "Waiting: 0 of 4 clients are up") || !strings.Contains(got, "latest execution") {
		t.Errorf("the page of a waiting peer is\n%s", got)
	}
	own := wire.ExecID{Origin: h.config.Self, Number: 7}
	h.emitted(runtime.Event{Kind: runtime.Emitted, Name: "loss", Value: tensor.Of([]float32{0.5}, 1)})
	h.progress.follow(h, runtime.Event{Kind: runtime.Finished, Module: "start", Exec: own})
	h.progress.follow(h, runtime.Event{Kind: runtime.Published, Module: "server", Name: runtime.LoopBegun})
	for _, past := range []bool{true, false, true} { // the second is within the interval of the first
		if past {
			h.progress.logged = h.progress.logged.Add(-roundsEvery)
		} else {
			h.progress.logged = h.progress.logged.Add(roundsEvery * 60)
		}
		h.progress.follow(h, runtime.Event{Kind: runtime.Finished, Module: "server", Exec: own})
		if !past {
			h.progress.logged = h.progress.logged.Add(-roundsEvery * 60)
		}
	}
	h.progress.logged = h.progress.logged.Add(-roundsEvery)
	h.latest = 9
	bad := wire.ExecID{Origin: h.config.Self, Number: 9}
	h.progress.follow(h, runtime.Event{Kind: runtime.Failed, Module: "server", Name: "contribute", Exec: bad})
	h.progress.logged = time.Now() // the interval is not for failures
	h.progress.follow(h, runtime.Event{Kind: runtime.Finished, Module: "server", Exec: bad})
	h.progress.tellBroken(h) // not before the program runs, and once
	h.started = true
	h.progress.tellBroken(h)
	h.progress.tellBroken(h)
	h.started = false
	if got := textOf(h.report().Page()); !strings.Contains(got, "<b>4</b>latest round") {
		t.Errorf("the page after four rounds is\n%s", got)
	}
	h.progress.follow(h, runtime.Event{Kind: runtime.Published, Module: "server", Name: runtime.LoopDone})
	h.progress.follow(h, runtime.Event{Kind: runtime.Finished, Module: "server", Exec: own})
	var got []string
	for line := range strings.Lines(log.String()) {
		_, text, _ := strings.Cut(line, " ")
		text = strings.TrimPrefix(text, "level=INFO ")
		got = append(got, strings.TrimSpace(text))
	}
	want := []string{
		`msg="waiting: 0 of 4 clients are up"`,
		`msg="round ended" module=server round=1 loss=0.5`,
		`msg="round ended" module=server round=3 loss=0.5`,
		`level=WARN msg="round failed" module=server round=4`,
		`level=WARN msg="the rounds have ended: none follows the one that failed" module=server round=4`,
		`msg="all rounds are done" module=server rounds=5`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
