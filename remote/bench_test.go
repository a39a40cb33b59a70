package remote_test

import (
	"context"
	"testing"

	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// BenchmarkElementwise runs one operation on 1,000 elements and reads the result.
func BenchmarkElementwise(b *testing.B) {
	d := dial(b, start(b))
	x := d.Register(tensor.New(tensor.Float32, 1000))
	for b.Loop() {
		y := d.Execute("Exp", nil, x)
		if _, err := y.Read(context.Background()); err != nil {
			b.Fatal(err)
		}
		y.Release()
	}
}

// BenchmarkQueued runs one operation on 1,000 elements, whose result remains on the server.
func BenchmarkQueued(b *testing.B) {
	d := dial(b, start(b))
	x := d.Register(tensor.New(tensor.Float32, 1000))
	for b.Loop() {
		d.Execute("Exp", nil, x).Release()
	}
	if err := d.Sync(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkGraph runs a model on one image on the server and reads the result.
func BenchmarkGraph(b *testing.B) {
	d := dial(b, start(b))
	g, err := d.Load(context.Background(), digits(b))
	if err != nil {
		b.Fatal(err)
	}
	x := d.Register(images(1))
	for b.Loop() {
		y := g.Run(x)
		if _, err := y[0].Read(context.Background()); err != nil {
			b.Fatal(err)
		}
		remote.Release(y...)
	}
}

// BenchmarkUpload sends 64 MiB to the server.
func BenchmarkUpload(b *testing.B) {
	d := dial(b, start(b))
	x := tensor.New(tensor.Float32, 16<<20)
	b.SetBytes(64 << 20)
	for b.Loop() {
		y := d.Register(x)
		if err := d.Sync(context.Background()); err != nil {
			b.Fatal(err)
		}
		y.Release()
	}
}
