package run

import (
	"fmt"
	"strings"
)

// leftOut counts the contributions of a peer that another peer has left out of its gathers.
type leftOut struct {
	Peer   string `json:"peer"` // that has sent them
	By     string `json:"by"`
	Name   string `json:"name"` // of the input, such as server.update
	Number uint64 `json:"contributions"`
	Last   string `json:"last"` // the reason for the last one
}

// leaveOut counts a contribution that was left out, if the event is about one: it was refused, or a block failed that
// had to do with this contribution alone.
func (b *board) leaveOut(e event) bool {
	name := e.Name
	if e.Kind == "failed" { // as server.update.received
		i := strings.LastIndexByte(name, '.')
		if i < 0 || strings.IndexByte(name, '.') == i {
			return false
		}
		name = name[:i]
	}
	if e.From == "" || name == "" {
		return false
	}
	for i := range b.leftOut {
		if l := &b.leftOut[i]; l.Peer == e.From && l.By == e.Peer && l.Name == name {
			l.Number += 1 + e.Dropped
			l.Last = e.Error
			return true
		}
	}
	b.leftOut = append(b.leftOut, leftOut{e.From, e.Peer, name, 1 + e.Dropped, e.Error})
	return true
}

// contributionsLeftOut returns the number of contributions that were left out.
func (b *board) contributionsLeftOut() (n uint64) {
	for _, l := range b.leftOut {
		n += l.Number
	}
	return n
}

// leftOutLines returns a line for each peer with contributions that were left out.
func (b *board) leftOutLines() (list []string) {
	for _, l := range b.leftOut {
		list = append(list, fmt.Sprintf("left out by %s: %s of %s, %d in all, the last because %s", l.By, l.Name[strings.LastIndexByte(l.Name, '.')+1:], l.Peer, l.Number, l.Last))
	}
	return list
}
