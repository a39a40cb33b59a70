package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// patience is how long a request waits for its answer.
const patience = time.Minute

// maxBody is the largest number of bytes of a request.
const maxBody = 1 << 20

// handler answers requests with the output of a front: lists of numbers with their mean.
func handler(front *peer.Peer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var numbers []float32
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&numbers); err != nil {
			http.Error(w, "want a list of numbers: "+err.Error(), http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		out, err := front.Invoke(ctx, "front", map[string]tensor.Value{"numbers": tensor.Of(numbers, len(numbers))})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"mean": tensor.Data[float32](out["mean"].(*tensor.Tensor))[0]})
	})
}
