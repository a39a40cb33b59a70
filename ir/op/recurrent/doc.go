// Package recurrent contains the layers that process a sequence step by step: RNN, GRU and LSTM, and the LSTM
// with quantized weights. Their definitions, which are used for differentiation, are loops.
package recurrent
