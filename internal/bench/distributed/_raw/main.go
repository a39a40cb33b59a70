// Raw sends bytes through an encrypted stream of a host's transport, without bbgen's own protocol.
//
//	raw SIZE COUNT       takes a stream; prints its address, and the nanoseconds of each SIZE bytes
//	raw SIZE COUNT ADDR  dials it, and writes COUNT times SIZE bytes
package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	host "github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/wire"
)

const piece = 1 << 20 // at a time

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("want SIZE COUNT and, to dial, an address")
	}
	size, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	config := peer.TransportConfig{Key: key, Log: slog.New(slog.DiscardHandler), Handshakes: 16, HandshakeTimeout: time.Minute}
	if len(args) == 2 {
		config.Listen = []wire.Address{"/ip4/127.0.0.1/tcp/0"}
	}
	t, err := host.New(config)
	if err != nil {
		return err
	}
	defer t.Close()
	if len(args) == 2 {
		return take(t, size, count)
	}
	return pour(t, wire.Address(args[2]), size, count)
}

// take reads from the stream, and prints the time of each SIZE bytes.
func take(t peer.Transport, size, count int) error {
	fmt.Println(t.Addresses()[0])
	s, err := t.Accept()
	if err != nil {
		return err
	}
	defer s.Close()
	buf := make([]byte, size)
	last := time.Now()
	for range count {
		for n := 0; n < size; n += piece {
			if _, err := io.ReadFull(s, buf[n:min(n+piece, size)]); err != nil {
				return err
			}
		}
		fmt.Println(time.Since(last).Nanoseconds())
		last = time.Now()
	}
	return nil
}

// pour writes, and waits until all bytes are received.
func pour(t peer.Transport, at wire.Address, size, count int) error {
	id, _ := at.Peer()
	s, err := t.Dial(context.Background(), id, []wire.Address{at}, peer.BulkStream)
	if err != nil {
		return err
	}
	defer s.Close()
	buf := bytes.Repeat([]byte{1}, size) // zeros would be one page, always in the cache
	for range count {
		for n := 0; n < size; n += piece {
			if _, err := s.Write(buf[n:min(n+piece, size)]); err != nil {
				return err
			}
		}
	}
	s.Read(buf[:1]) // returns when the other end closes the stream
	return nil
}
