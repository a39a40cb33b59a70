package conversation

import (
	"context"
	"testing"
)

// A peer that answers each request once never has too much waste, however late; a peer that answers fifty times
// has, until it was sent enough messages to compensate.
func TestWaste(t *testing.T) {
	var honest, hostile Waste
	for range 10000 {
		honest.Asked()
		if honest.Note(); honest.tooMuch() {
			t.Fatal("one late answer to each question is too much")
		}
	}
	for range 1000 {
		hostile.Asked()
		for range 50 {
			hostile.Note()
		}
	}
	if !hostile.tooMuch() {
		t.Error("50 answers to each question are not too much")
	}
	for range (wasteMost - wasteAllowed + wasteAsked - 1) / wasteAsked {
		hostile.Asked()
	}
	if hostile.tooMuch() {
		t.Error("what it was sent does not make up for what it has sent")
	}
}

// The reader of a wasteful peer rests, and its waste decreases; it does not outlast the host.
func TestRest(t *testing.T) {
	var w Waste
	ended, end := context.WithCancel(t.Context())
	end()
	if !w.Rest(ended) {
		t.Error("a peer without waste has to wait")
	}
	for range wasteAllowed + 2 {
		w.Note()
	}
	if w.Rest(ended) {
		t.Error("the reader goes on although the host ends")
	}
	if !w.Rest(t.Context()) || w.tooMuch() {
		t.Error("after the rest, the waste is still too much")
	}
}
