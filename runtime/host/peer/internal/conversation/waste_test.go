package conversation

import "testing"

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
