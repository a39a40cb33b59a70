package peer

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
)

// progress writes the log of a program that runs normally: the rounds of its loops, and the awaited peers.
type progress struct {
	rounds  map[string]int // that have ended, by the module of a running loop
	ended   int            // the number of the last ended round; 0: none
	failed  uint64         // the peer's own execution in which a block failed last
	logged  time.Time      // when a round was logged last
	awaited string         // the last logged text
	blocked bool           // it was logged that all executions wait
	broken  string         // the module whose last round has failed; "": none, or it was logged that no other follows
}

// roundsEvery is the minimum interval between logged rounds, except the last one.
const roundsEvery = time.Second

// follow handles an event of the peer's own modules.
func (p *progress) follow(h *host, e runtime.Event) {
	switch {
	case e.Kind == runtime.Published && e.Name == runtime.LoopBegun:
		if p.rounds == nil {
			p.rounds = map[string]int{}
		}
		p.rounds[e.Module] = 0
	case e.Kind == runtime.Published && e.Name == runtime.LoopDone:
		if n, ok := p.rounds[e.Module]; ok {
			// The execution that publishes the end is the last round, which ends after that.
			p.ended = n + 1
			h.log.Info("all rounds are done", "module", e.Module, "rounds", n+1)
			delete(p.rounds, e.Module)
		}
	case e.Kind == runtime.Failed && e.Exec.Origin == h.config.Self && e.Peer.IsZero(): // a contribution that fails has a peer
		p.failed = e.Exec.Number
	case e.Kind == runtime.Finished && e.Exec.Origin == h.config.Self:
		p.round(h, e)
	case e.Kind == runtime.PeerUp, e.Kind == runtime.PeerDown:
		p.tellAwaited(h)
	}
}

// round logs that a round has ended, with the last numbers that the program has given.
func (p *progress) round(h *host, e runtime.Event) {
	n, ok := p.rounds[e.Module]
	if !ok {
		return
	}
	n++
	p.rounds[e.Module], p.ended, p.broken = n, n, ""
	if p.failed == e.Exec.Number {
		p.broken = e.Module
		h.log.Warn("round failed", "module", e.Module, "round", n)
		return
	}
	now := time.Now()
	if now.Sub(p.logged) < roundsEvery {
		return
	}
	p.logged = now
	attrs := []any{"module", e.Module, "round", n}
	for _, v := range h.told.All() {
		attrs = append(attrs, v.Name, v.Value)
	}
	h.log.Info("round ended", attrs...)
}

// awaits returns which peers are awaited, as in "3 of 4 clients are up".
func (h *host) awaits() (list []string) {
	if h.running && !h.started {
		for _, class := range slices.Sorted(maps.Keys(h.options.Await)) {
			if have, want := h.node.CountConnected(class), h.options.Await[class]; have < want {
				list = append(list, runtime.UpText(have, want, class))
			}
		}
	}
	h.node.Awaited(func(class string, have, least int) {
		if text := runtime.UpText(have, least, class); !slices.Contains(list, text) {
			list = append(list, text)
		}
	})
	return list
}

// tellAwaited logs which peers are awaited, if that has changed.
func (p *progress) tellAwaited(h *host) {
	if !h.log.Enabled(h.Ctx, slog.LevelInfo) {
		return
	}
	if text := strings.Join(h.awaits(), ", "); text != p.awaited {
		p.awaited = text
		if text != "" {
			h.log.Info(fmt.Sprintf("waiting: %s", text))
		}
	}
}

// tellBroken logs that no round follows the one that failed, if nothing happens here until another peer or the host acts.
func (p *progress) tellBroken(h *host) {
	if p.broken == "" || !h.started || !h.node.IsIdle() || h.node.Stats().Live > 0 {
		return
	}
	h.log.Warn("the rounds have ended: none follows the one that failed", "module", p.broken, "round", p.rounds[p.broken])
	p.broken = ""
}

// tellBlocked logs what executions have waited for for long, once, if nothing happens here until another peer or the host acts.
func (p *progress) tellBlocked(h *host) {
	var list []string
	if h.started && h.node.IsIdle() {
		list = h.waits(longWait)
	}
	if len(list) > 0 && !p.blocked {
		h.log.Info("waiting: nothing else happens here", "for", strings.Join(list, "; "))
	}
	p.blocked = len(list) > 0
}

const (
	longWait = 5 * time.Second // longer waits are reported
	maxWaits = 8               // how many of them
)

// waits describes the values for which executions have waited for at least that time.
func (h *host) waits(least time.Duration) (list []string) {
	now := h.Now()
	h.node.Waits(func(w *runtime.Wait) bool {
		if now-w.Since >= int64(least) {
			list = append(list, w.Text(now, h.nameOf))
		}
		return len(list) < maxWaits
	})
	return list
}
