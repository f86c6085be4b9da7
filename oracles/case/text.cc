#include "oracles/case/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "oracles/case/fields.h"

namespace oddtile::oracles {
namespace {

constexpr std::string_view kShapes[] = {"n",     "rows",  "columns", "batch",   "heads_kv",
                                        "group", "seq_q", "seq_k",   "head_dim"};

bool is_shape(std::string_view name) {
  return std::find(std::begin(kShapes), std::end(kShapes), name) != std::end(kShapes);
}

// Seeds are bit patterns: their domain is the only one that holds INT64_MIN.
bool is_pattern(Domain domain) {
  return domain.lowest == std::numeric_limits<int64_t>::min();
}
bool is_band(Domain domain) {
  return domain.lowest == -kUnbounded;
}

// All fields as text, in order.
struct Renderer {
  std::vector<std::pair<std::string_view, std::string>> fields;

  void operator()(std::string_view name, int64_t& value, Domain domain) {
    std::string text;
    if (is_pattern(domain)) {
      text = fmt::format("{}", uint64_t(value));
    } else if (is_band(domain) && value == kUnbounded) {
      text = "inf";
    } else if (is_band(domain) && value == -kUnbounded) {
      text = "-inf";
    } else {
      text = fmt::format("{}", value);
    }
    fields.emplace_back(name, std::move(text));
  }
  void operator()(std::string_view name, double& value) {
    fields.emplace_back(name, fmt::format("{}", float(value)));  // shortest that reads back
  }
  template <class Enum>
  void operator()(std::string_view name, Enum& value, std::span<const std::string_view> names) {
    fields.emplace_back(name, std::string(names[size_t(value)]));
  }
};

auto render(Case subject) {
  Renderer renderer;
  for_each_field(subject, renderer);
  return std::move(renderer.fields);
}

Case plain_case(oddtile_kernel kernel) {
  switch (kernel) {
    case oddtile_kernel_vector_add:
      return {VectorAddCase{}};
    case oddtile_kernel_softmax:
      return {SoftmaxCase{}};
    case oddtile_kernel_attention:
      return {AttentionCase{}};
  }
  return {};
}

constexpr oddtile_kernel kKernels[] = {oddtile_kernel_vector_add, oddtile_kernel_softmax,
                                       oddtile_kernel_attention};

std::string kernels_listed() {
  std::string list;
  for (oddtile_kernel kernel : kKernels) {
    list += (list.empty() ? "" : ", ") + std::string(kernel_name(kernel));
  }
  return list;
}

std::string fields_listed(const Case& subject) {
  std::string list;
  for (const auto& field : render(subject)) {
    list += (list.empty() ? "" : ", ") + std::string(field.first);
  }
  return list;
}

// What a message may repeat of the input: short, and one line whatever the bytes are.
std::string quoted(std::string_view word) {
  std::string out = "'";
  for (char c : word.substr(0, 40)) out += c >= ' ' && c < 127 ? c : '?';
  return out + (word.size() > 40 ? "...'" : "'");
}

struct Word {
  std::string_view text;
  int64_t position;
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// The words of the line that holds the case, or an error when a second line follows.
std::variant<std::vector<Word>, TextError> words_of(std::string_view text) {
  std::vector<Word> words;
  size_t at = 0;
  bool line_start = true;
  while (at < text.size()) {
    if (text[at] == '\n' || is_blank(text[at])) {
      line_start = line_start || text[at] == '\n';
      ++at;
      continue;
    }
    if (words.empty() && line_start && text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (!words.empty() && line_start) {
      return TextError{int64_t(at), "expected one line, found text on a second one"};
    }
    line_start = false;
    size_t end = at;
    while (end < text.size() && text[end] != '\n' && !is_blank(text[end])) ++end;
    words.push_back({text.substr(at, end - at), int64_t(at)});
    at = end;
  }
  return words;
}

// Looks for one field by name and sets it from text.
struct Setter {
  std::string_view name;
  Word value;
  bool known = false;
  std::optional<TextError> error;

  void fail(std::string message) { error = TextError{value.position, std::move(message)}; }

  template <class Number>
  bool number(Number* out) const {
    const char* end = value.text.data() + value.text.size();
    const auto result = std::from_chars(value.text.data(), end, *out);
    return result.ec == std::errc() && result.ptr == end;
  }

  void operator()(std::string_view field, int64_t& target, Domain domain) {
    if (field != name) return;
    known = true;
    uint64_t pattern = 0;
    if (is_pattern(domain) && number(&pattern)) {
      target = int64_t(pattern);
    } else if (is_band(domain) && (value.text == "inf" || value.text == "-inf")) {
      target = value.text == "inf" ? kUnbounded : -kUnbounded;
    } else if (is_pattern(domain) || !number(&target)) {
      fail(fmt::format("{}={} is not {}", name, quoted(value.text),
                       is_pattern(domain) ? "an integer from 0 to 2^64 - 1"
                       : is_band(domain)  ? "an integer, inf or -inf"
                                          : "an integer"));
    }
  }
  void operator()(std::string_view field, double& target) {
    if (field != name) return;
    known = true;
    float parsed = 0;
    if (number(&parsed)) {
      target = parsed;
    } else {
      fail(fmt::format("{}={} is not a float", name, quoted(value.text)));
    }
  }
  template <class Enum>
  void operator()(std::string_view field, Enum& target, std::span<const std::string_view> names) {
    if (field != name) return;
    known = true;
    for (size_t index = 0; index < names.size(); ++index) {
      if (names[index] == value.text) {
        target = Enum(index);
        return;
      }
    }
    fail(fmt::format("{}={} is unknown; one of: {}", name, quoted(value.text),
                     fmt::join(names, ", ")));
  }
};

struct Mention {
  std::string_view name;
  int64_t position;
};

std::optional<TextError> set_field(Case& subject, Word word, std::vector<Mention>& mentions) {
  const size_t equals = word.text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return TextError{word.position,
                     fmt::format("expected name=value, found {}", quoted(word.text))};
  }
  Setter setter;
  setter.name = word.text.substr(0, equals);
  setter.value = {word.text.substr(equals + 1), word.position + int64_t(equals) + 1};
  for (const Mention& earlier : mentions) {
    if (earlier.name == setter.name) {
      return TextError{word.position, fmt::format("field {} stands twice", quoted(setter.name))};
    }
  }
  for_each_field(subject, setter);
  if (!setter.known) {
    return TextError{word.position,
                     fmt::format("unknown field {}; fields of {}: {}", quoted(setter.name),
                                 kernel_name(subject.kernel()), fields_listed(subject))};
  }
  mentions.push_back({setter.name, word.position});
  return setter.error;
}

}  // namespace

std::string print(const Case& subject) {
  std::string line(kernel_name(subject.kernel()));
  const auto fields = render(subject);
  const auto plain = render(plain_case(subject.kernel()));
  for (size_t index = 0; index < fields.size(); ++index) {
    if (!is_shape(fields[index].first) && fields[index] == plain[index]) continue;
    line += fmt::format(" {}={}", fields[index].first, fields[index].second);
  }
  return line;
}

std::variant<Case, TextError> parse(std::string_view text) {
  auto split = words_of(text);
  if (auto* error = std::get_if<TextError>(&split)) return std::move(*error);
  const auto& words = std::get<std::vector<Word>>(split);
  if (words.empty()) {
    return TextError{int64_t(text.size()),
                     fmt::format("no case here; it starts with one of: {}", kernels_listed())};
  }
  const auto kernel = std::find_if(std::begin(kKernels), std::end(kKernels), [&](auto candidate) {
    return kernel_name(candidate) == words[0].text;
  });
  if (kernel == std::end(kKernels)) {
    return TextError{words[0].position, fmt::format("unknown kernel {}; kernels: {}",
                                                    quoted(words[0].text), kernels_listed())};
  }
  Case subject = plain_case(*kernel);
  std::vector<Mention> mentions;
  for (size_t index = 1; index < words.size(); ++index) {
    if (auto error = set_field(subject, words[index], mentions)) return std::move(*error);
  }
  const Fault fault = find_fault(subject);
  if (fault.why.empty()) return subject;
  for (const Mention& mention : mentions) {
    if (mention.name == fault.field) return TextError{mention.position, fault.why};
  }
  return TextError{words[0].position, fault.why};
}

}  // namespace oddtile::oracles
