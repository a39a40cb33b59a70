package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// piece is how much is sent at a time where throughput is measured.
const piece = 64 << 20

// streams compares tensors that one peer sends to another with bytes on a bare
// stream of the same transport, in turn.
func (b *bench) streams(host string) error {
	const turns, pieces = 5, 8
	raw, err := b.raw(host)
	if err != nil {
		return err
	}
	var ours, theirs []time.Duration
	for range turns {
		times, err := pour(raw, pieces)
		if err != nil {
			return err
		}
		theirs = append(theirs, times[1:]...)
		err = b.run("stream", setting{host: host, first: "source", others: "sink", count: 1, parameters: piece / 4}, func(f *fleet) error {
			times, err := f.rounds(pieces)
			ours = append(ours, times...)
			return err
		})
		if err != nil {
			return err
		}
	}
	mbs := func(d time.Duration) float64 { return piece / d.Seconds() / 1e6 }
	mine, bare := slices.Sorted(slices.Values(ours)), slices.Sorted(slices.Values(theirs))
	half, bareHalf := mine[len(mine)/2], bare[len(bare)/2]
	b.add(row{Figure: "throughput from one program to another", Host: host, Value: mbs(half), Best: mbs(mine[0]), Unit: "MB/s"})
	b.add(row{Figure: "throughput of the bare encrypted stream", Host: host, Value: mbs(bareHalf), Best: mbs(bare[0]), Unit: "MB/s"})
	b.add(row{Figure: "the one over the other", Host: host, Value: bareHalf.Seconds() / half.Seconds(), Best: bare[0].Seconds() / mine[0].Seconds(), Bound: "≥", Bar: 0.9})
	return nil
}

// pour runs the program that writes to a bare stream and returns how long each
// piece took. Each end has one core, as each peer of a fleet of two.
func pour(bin string, pieces int) ([]time.Duration, error) {
	size, count := strconv.Itoa(piece), strconv.Itoa(pieces)
	taker := exec.Command(bin, size, count)
	taker.Env = append(os.Environ(), "GOMAXPROCS=1")
	taker.Stderr = os.Stderr
	out, err := taker.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := taker.Start(); err != nil {
		return nil, err
	}
	r := bufio.NewReader(out)
	at, err := r.ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, taker.Wait())
	}
	giver := exec.Command(bin, size, count, strings.TrimSpace(at))
	giver.Env, giver.Stderr = taker.Env, os.Stderr
	if err := giver.Run(); err != nil {
		taker.Process.Kill()
		return nil, errors.Join(err, taker.Wait())
	}
	var times []time.Duration
	for {
		var d time.Duration
		if _, err := fmt.Fscan(r, &d); err == io.EOF {
			return times, taker.Wait()
		} else if err != nil {
			return nil, errors.Join(err, taker.Wait())
		}
		times = append(times, d)
	}
}

// overhead measures what two peers write, before encryption, for each byte of
// tensors of 1 MiB that go from one to the other.
func (b *bench) overhead(host string) error {
	const rounds, size = 500, 1 << 20
	f, err := b.fleet("stream", setting{host: host, first: "source", others: "sink", count: 1, parameters: size / 4, rounds: rounds})
	if err != nil {
		return err
	}
	_, err = f.until("published", "source.done")
	f.stop()
	if err != nil {
		return err
	}
	b.add(row{Figure: "bytes written, before encryption, per byte of a tensor of 1 MiB", Host: host, Value: float64(f.in+f.out) / (rounds * size), Bound: "≤", Bar: 1.001})
	return nil
}
