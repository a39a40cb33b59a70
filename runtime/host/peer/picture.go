package peer

import (
	"fmt"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/wire"
)

// picture returns the peer's part of the program, with what is under way.
func (h *host) picture() *status.Picture {
	p := h.part
	if p == nil {
		return nil
	}
	pic := &status.Picture{Class: p.Class}
	for i := range p.Modules {
		m := &p.Modules[i]
		x := status.PictureModule{Name: m.Name}
		for b := range m.Blocks {
			block := status.PictureBlock{Name: m.Blocks[b].Name}
			for _, c := range cutsOf(&m.Blocks[b], len(m.Cuts)) {
				block.Needs = append(block.Needs, status.PictureNeed{Name: fmt.Sprintf("%v %s", m.Cuts[c].Kind, m.Cuts[c].Name)})
			}
			x.Blocks = append(x.Blocks, block)
		}
		pic.Modules = append(pic.Modules, x)
	}
	h.pictureWaits(pic)
	h.pictureEdges(pic)
	return pic
}

// cutsOf returns the cut points for which a block waits.
func cutsOf(b *runtime.Block, n int) (list []int) {
	for c := range n {
		if c < 64 && b.Wait>>c&1 != 0 || slices.Contains(b.AlsoWait, c) {
			list = append(list, c)
		}
	}
	return list
}

// pictureWaits adds what executions wait for.
func (h *host) pictureWaits(pic *status.Picture) {
	now := h.Now()
	index := map[string]int{}
	for i := range pic.Modules {
		index[pic.Modules[i].Name] = i
	}
	type execution struct {
		module int
		id     wire.ExecID
	}
	live := map[execution]bool{}
	h.node.Waits(func(w *runtime.Wait) bool {
		m, ok := index[w.Module]
		if !ok {
			return true
		}
		x := &pic.Modules[m]
		if e := (execution{m, w.Exec}); !live[e] {
			live[e] = true
			x.Live++
		}
		name, oldest := fmt.Sprintf("%v %s", w.Kind, w.Cut), h.oldest(w, now)
		for b := range x.Blocks {
			for i := range x.Blocks[b].Needs {
				if n := &x.Blocks[b].Needs[i]; n.Name == name {
					if n.Waits++; n.Waits == 1 {
						n.Waited, n.Oldest = now-w.Since, oldest
					}
				}
			}
		}
		return true
	})
}

// oldest describes how long and for whom an execution has waited.
func (h *host) oldest(w *runtime.Wait, now int64) string {
	s := fmt.Sprintf("for %v", time.Duration(now-w.Since).Round(100*time.Millisecond))
	if w.Class != "" {
		s += ": " + runtime.UpText(w.Have, w.Least, w.Class)
	}
	switch n := len(w.Peers); {
	case n == 1:
		s += ": " + h.nameOf(w.Peers[0])
	case n > 1:
		s += fmt.Sprintf(": %s and %d more", h.nameOf(w.Peers[0]), n-1)
	}
	return s
}

// pictureEdges adds the edges, with the bytes that went over them.
func (h *host) pictureEdges(pic *status.Picture) {
	flows := h.node.Flows()
	for i := range h.part.Edges {
		e := &h.part.Edges[i]
		x := status.PictureEdge{Name: e.Name, Class: e.To, In: e.Receives, Fills: flows[i].Fills, Bytes: flows[i].Bytes}
		if e.Receives {
			x.Class, x.Module = e.From, e.Module
			cuts := len(h.part.Modules[e.Module].Cuts)
			for b := range h.part.Modules[e.Module].Blocks {
				if slices.Contains(cutsOf(&h.part.Modules[e.Module].Blocks[b], cuts), e.Cut) {
					x.Block = b
					break
				}
			}
		}
		pic.Edges = append(pic.Edges, x)
	}
}
