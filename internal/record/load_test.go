package record

import (
	"errors"
	"testing"
)

// What the go command says is told in its own words.
func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"err: exit status 1: stderr: go: updates to go.mod needed; to update it:\n\tgo mod tidy\n": "go: updates to go.mod needed; to update it:\n\tgo mod tidy",
		"context canceled": "context canceled",
	} {
		if got := said(errors.New(text)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
