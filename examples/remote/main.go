// Remote trains a network on a server process through package remote, moves it to a second server, and
// evaluates it there. The last line is a JSON object.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/remote"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Steps      int     `json:"steps"`
	Loss       float32 `json:"loss"`
	Accuracy   float32 `json:"accuracy"`    // on the second server
	MovedBytes int     `json:"moved_bytes"` // from the first server to the second
	ReadBytes  uint64  `json:"read_bytes"`  // received by this process
}

const (
	steps  = 300
	hidden = 64
	tests  = 1000
)

func run(ctx context.Context, w io.Writer) error {
	dir, err := os.MkdirTemp("", "remote")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/cmd", "bbgen")
	if err != nil {
		return err
	}
	a, stopA, err := serve(ctx, bin["bbgen"], dir, "first")
	if err != nil {
		return err
	}
	defer stopA()
	b, stopB, err := serve(ctx, bin["bbgen"], dir, "second")
	if err != nil {
		return err
	}
	defer stopB()
	return trainAndMove(ctx, w, a, b)
}

// trainAndMove trains on one device, and evaluates on the other.
func trainAndMove(ctx context.Context, w io.Writer, a, b *remote.Device) error {
	r := result{Steps: steps}
	n := newNetwork(a)
	for i := range steps {
		loss := n.step(draw(1, i))
		if (i+1)%100 != 0 {
			loss.Release()
			continue
		}
		t, err := loss.Read(ctx) // this is the first call that waits
		if err != nil {
			return err
		}
		r.Loss = t.Data.([]float32)[0]
		fmt.Fprintf(w, "step %d  loss %.4f\n", i+1, r.Loss)
	}
	moved, err := n.to(ctx, b)
	if err != nil {
		return err
	}
	right, err := moved.right(draw(2, 0)).Read(ctx)
	if err != nil {
		return err
	}
	r.Accuracy = right.Data.([]float32)[0]
	r.MovedBytes = moved.bytes()
	for _, d := range []*remote.Device{a, b} {
		_, received := d.Traffic()
		r.ReadBytes += received
	}
	return json.NewEncoder(w).Encode(r)
}
