// Command remote times what a client of "bbgen remote serve" waits for, on this machine's loopback: one elementwise
// operation, and a model that the server has, beside the same model in this process.
//
//	go run ./internal/bench/remote               # from the root of the repository
//	remote -threads 4 -model a.onnx,b.onnx       # other models, whose sizes are fixed or are 1
//
// The server is another process. Channels are encrypted. Each figure is a line of JSON on standard output: the median
// and the best of many calls, in microseconds. A call sends its operation, waits for the result, and reads it.
// The model runs in turn there and here: at most 1.1 times as long as here, and 100 µs, is what it may take there.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/runtime/cpu"
)

// bench is the common data of all figures.
type bench struct {
	device *remote.Device
	rounds int           // of each figure
	budget time.Duration // of each round
	out    *json.Encoder
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("remote: ")
	serves := flag.Bool("serve", false, "be the server, until standard input ends")
	threads := flag.Int("threads", 1, "the `number` of threads that compute, there and here")
	models := flag.String("model", "examples/digits/digits.onnx,examples/train/lenet.onnx,examples/chartransformer/transformer.onnx", "the `files` of the models")
	rounds := flag.Int("rounds", 5, "how often each is timed")
	budget := flag.Duration("time", 300*time.Millisecond, "how long one timing takes")
	flag.Parse()
	cpu.SetThreads(*threads)
	eval.Native() // as in the server
	if *serves {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	b := &bench{rounds: *rounds, budget: *budget, out: json.NewEncoder(os.Stdout)}
	if err := b.run(context.Background(), *threads, strings.Split(*models, ",")); err != nil {
		log.Fatal(err)
	}
}

// run measures all figures.
func (b *bench) run(ctx context.Context, threads int, models []string) error {
	s, err := startServer(threads)
	if err != nil {
		return err
	}
	defer s.stop()
	if b.device, err = remote.Dial(ctx, remote.Config{Address: s.address, Key: s.key}); err != nil {
		return err
	}
	defer b.device.Close()
	if load, busy := section.Busy(); busy {
		log.Printf("other processes use this machine: its load is %.1f", load)
	}
	if err := b.elementwise(ctx); err != nil {
		return err
	}
	for _, file := range models {
		if err := b.model(ctx, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}
