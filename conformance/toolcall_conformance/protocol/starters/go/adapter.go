// Lends a translator to toolcall-conformance: questions come on standard input, answers go to standard output.
// Print to standard error only: standard output belongs to the protocol.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// Body is a request or reply as it stands on the wire. To look into it, decode it with a json.Decoder and UseNumber:
// a float64 cannot hold every whole number of 64 bits.
type Body = json.RawMessage

type Headers = map[string]string

type Route struct {
	Client        string `json:"client"`
	Upstream      string `json:"upstream"`
	ClientModel   string `json:"client_model"`
	UpstreamModel string `json:"upstream_model"`
	Stream        bool   `json:"stream"`
}

// Unsupported says that this route or operation is not done.
type Unsupported string

func (why Unsupported) Error() string { return string(why) }

// Refused says that this input is not taken, and why.
type Refused string

func (why Refused) Error() string { return string(why) }

// ---------------------------------------------------------------- YOUR TRANSLATOR

const (
	name    = "my-translator"
	version = "0.1.0"
)

// Session is one conversation: what it needs to remember between its turns, it keeps here.
type Session struct {
	route Route
}

func open(route Route) (*Session, error) {
	if route.Client != route.Upstream {
		return nil, Unsupported(fmt.Sprintf("no %s-to-%s yet", route.Client, route.Upstream))
	}
	return &Session{route}, nil
}

// Request translates the client's request for the upstream.
func (session *Session) Request(body Body) (Body, error) {
	return body, nil
}

// Response translates the upstream's reply for the client.
func (session *Session) Response(body Body) (Body, error) {
	return body, nil
}

// Stream translates the upstream's stream for the client. Write all output that is ready before you read on. A piece
// may end anywhere, even inside a character. If the upstream's connection is lost, Read returns io.ErrUnexpectedEOF.
func (session *Session) Stream(upstream io.Reader, client io.Writer) error {
	_, err := io.Copy(client, upstream)
	return err
}

// Error translates the upstream's error for the client.
func (session *Session) Error(status int, headers Headers, body Body) (int, Headers, Body, error) {
	return status, headers, body, nil
}

// ---------------------------------------------------------------- the protocol; no need to change it

type question struct {
	Op      string          `json:"op"`
	Seq     json.RawMessage `json:"seq"`
	Session string          `json:"session"`
	Route   Route           `json:"route"`
	Status  int             `json:"status"`
	Headers Headers         `json:"headers"`
	Body    Body            `json:"body"`
	Chunk   []byte          `json:"chunk"` // base64, as encoding/json has it
	End     string          `json:"end"`
}

type fields = map[string]any

var sessions = map[string]*Session{}
var input = bufio.NewReader(os.Stdin) // a bufio.Scanner would stop at the first long line

// answer returns the answer to a message; after a stream message is the last one of that stream.
func answer(message *question) (result fields, err error) {
	switch message.Op {
	case "hello":
		return fields{"protocol": 1, "name": name, "version": version}, nil
	case "open":
		session, err := open(message.Route)
		sessions[message.Session] = session
		return fields{"operations": []string{"request", "response", "stream", "error"}}, err
	case "close":
		delete(sessions, message.Session)
		return fields{}, nil
	}
	session := sessions[message.Session]
	if session == nil {
		return nil, fmt.Errorf("no session %s", message.Session)
	}
	switch message.Op {
	case "request":
		body, err := session.Request(message.Body)
		return fields{"body": body}, err
	case "response":
		body, err := session.Response(message.Body)
		return fields{"body": body}, err
	case "stream-open":
		return play(session, message), nil
	case "error":
		status, headers, body, err := session.Error(message.Status, message.Headers, message.Body)
		return fields{"status": status, "headers": headers, "body": body}, err
	}
	return nil, Unsupported("no operation " + message.Op)
}

// stream reads the upstream's stream and writes the client's. Before it reads on it answers the last piece.
type stream struct {
	message *question // the message to answer next
	rest    []byte    // of the piece in that message
	output  [][]byte  // the output since the last answer
}

func (s *stream) Read(into []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.message.Op != "stream-end" {
			s.advance()
		}
		if s.message.Op == "stream-end" && s.message.End == "lost" {
			return 0, io.ErrUnexpectedEOF
		}
		if s.message.Op == "stream-end" {
			return 0, io.EOF
		}
	}
	count := copy(into, s.rest)
	s.rest = s.rest[count:]
	return count, nil
}

func (s *stream) Write(piece []byte) (int, error) {
	s.output = append(s.output, append([]byte{}, piece...))
	return len(piece), nil
}

// advance answers, and waits for the next piece or the end.
func (s *stream) advance() {
	send(s.message.Seq, fields{"chunks": s.output})
	*s.message = next()
	s.rest, s.output = s.message.Chunk, [][]byte{}
}

func play(session *Session, message *question) fields {
	s := &stream{message, nil, [][]byte{}}
	err := guarded(func() error { return session.Stream(s, s) })
	for err == nil && message.Op != "stream-end" { // the translator stopped reading
		s.advance()
	}
	result := fields{}
	if err != nil {
		result = failure(err)
	}
	result["chunks"] = s.output
	return result
}

// panicked is a panic as an error.
type panicked struct{ reason, stack string }

func (why panicked) Error() string { return why.reason }

func guarded(call func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = panicked{fmt.Sprint("panic: ", reason), string(debug.Stack())}
		}
	}()
	return call()
}

func failure(err error) fields {
	var unsupported Unsupported
	var refused Refused
	var panicked panicked
	switch {
	case errors.As(err, &panicked):
		return fields{"failed": err.Error(), "traceback": panicked.stack}
	case errors.As(err, &unsupported):
		return fields{"unsupported": err.Error()}
	case errors.As(err, &refused):
		return fields{"refused": err.Error()}
	}
	return fields{"failed": err.Error()}
}

func line(seq json.RawMessage, result fields) []byte {
	result["seq"] = seq
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil { // the translator returned something that is not JSON
		return line(seq, fields{"failed": err.Error()})
	}
	return text.Bytes()
}

func send(seq json.RawMessage, result fields) {
	if _, err := os.Stdout.Write(line(seq, result)); err != nil {
		os.Exit(0) // the runner has left
	}
}

func next() question {
	text, err := input.ReadBytes('\n')
	if err != nil {
		os.Exit(0) // the runner has left
	}
	var message question
	if err := json.Unmarshal(text, &message); err != nil {
		fmt.Fprintln(os.Stderr, "not a question:", err)
		os.Exit(1)
	}
	return message
}

func main() {
	for {
		message := next()
		var result fields
		err := guarded(func() (err error) {
			result, err = answer(&message)
			return err
		})
		if err != nil {
			result = failure(err)
		}
		send(message.Seq, result)
	}
}
